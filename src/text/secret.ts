/** What stands where a secret was cut out. */
export const cutMark = '[key]';

/** What is shorter, in characters and without the blanks around it, is not cut out: it would tear the texts of others. */
export const shortestHidden = 8;

/** Whether a secret cannot be cut out of texts, since it may be a part of any of them. */
function isTooShortToHide(secret: string): boolean {
  return secret.trim().length < shortestHidden;
}

/** The notice for a key that is used but not hidden; undefined for all others. */
export function noticeOfShortKey(key: string): string | undefined {
  return isTooShortToHide(key)
    ? `the API key is shorter than ${shortestHidden} characters, so it is not redacted from results and messages`
    : undefined;
}

/** Whether a word in a wrong place may be a key, which must not be said again. */
export function mayBeKey(text: string): boolean {
  return text.length >= shortestHidden;
}

/** An invalid word as the end of a phrase, in quotes after a space; nothing where it may be a key. */
export function quotedUnlessKey(text: string): string {
  return mayBeKey(text) ? '' : ` "${text}"`;
}

/** A word that is wrong, for messages: in quotes, or how long it is when it may be a key. */
export function wordFor(text: string): string {
  return mayBeKey(text) ? `a value of ${text.length} characters` : `"${text}"`;
}

/**
 * A secret as it may turn up in texts of others: as it is, in JSON, in a URL, in Base64 wherever in what was encoded; without the
 * blanks around it. None of one that is too short to hide.
 */
export function formsOf(padded: string): readonly string[] {
  if (isTooShortToHide(padded)) return [];
  const secret = padded.trim();
  const percent = encodeURIComponent(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    ...[0, 1, 2].flatMap((before) => [
      insideBase64(secret, before, 'base64'),
      insideBase64(secret, before, 'base64url'),
    ]),
  ];
  return [...new Set(forms)];
}

/** The digits that the secret alone decides, with so many bytes before it and others after it. */
function insideBase64(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.from('x'.repeat(before) + secret);
  const digits = (count: number) => (count * 8) / 6;
  return bytes
    .toString(encoding)
    .slice(Math.ceil(digits(before)), Math.floor(digits(bytes.length)));
}

/** The text with something else in place of these forms of a secret. */
export function cutOut(text: string, forms: Iterable<string>): string {
  let clean = text;
  for (const form of forms) clean = clean.replaceAll(form, cutMark);
  return clean;
}

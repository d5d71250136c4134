export const cutMark = '[key]';
/** Shorter secrets are not redacted: they would match inside ordinary words. */
const minSecretLength = 8;
const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };

export function shortKeyNotice(key: string): string | undefined {
  return key.trim().length < minSecretLength
    ? `the API key is shorter than ${minSecretLength} characters, so it is not redacted from results and messages`
    : undefined;
}

/** Hides what may grant access in a URL that nobody has checked: user name and password, query and fragment. */
export function withoutUrlSecrets(url: string): string {
  return url.replace(/^([a-z]+:\/*)?.*@/is, '$1[hidden]@').replace(/[?#].*/s, '?[hidden]');
}

/** Returns a secret as others may repeat it: plain, in JSON, in HTML, in a URL, and in Base64 with other bytes before it. */
export function formsOf(padded: string): readonly string[] {
  const secret = padded.trim();
  if (secret.length < minSecretLength) return [];
  const percent = encodeURIComponent(secret);
  const base64 = [0, 1, 2].map((bytesBefore) => {
    const bytes = Buffer.from('x'.repeat(bytesBefore) + secret);
    // The characters at both ends are cut off: they also encode neighbouring bytes.
    return bytes
      .toString('base64')
      .slice(Math.ceil((bytesBefore * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    secret.replace(/[&<>"]/g, (character) => `&${entities[character]};`),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

export function cutOut(text: string, forms: Iterable<string>): string {
  let clean = text;
  for (const form of forms) clean = clean.replaceAll(form, cutMark);
  return clean;
}

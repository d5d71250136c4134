import { isJsonObject, type Json, mapTexts } from '../json/json.ts';
import { cutMark, cutOut, formsOf, minSecretLength } from '../text/secret.ts';

/** Field names of the interface document. They are never redacted, even if the key is "description". */
const documentedFields = new Set(['id', 'name', 'description', 'code', 'message', 'status']);

export function createSecrets() {
  const forms = new Set<string>();

  const hasSecret = (text: string) => [...forms].some((form) => text.includes(form));

  /** Cuts a quoted text that was shortened with `…` in the middle of a secret. */
  const redactBeginnings = (text: string) => {
    if (!text.includes('…')) return text;
    let clean = text;
    for (const form of forms) {
      for (let length = form.length - 1; length >= minSecretLength; length -= 1) {
        clean = clean.replaceAll(`${form.slice(0, length)}…`, `${cutMark}…`);
      }
    }
    return clean;
  };

  const redact = (text: string) => redactBeginnings(cutOut(text, forms));

  const redactName = (name: string) => (documentedFields.has(name) ? name : redact(name));

  return {
    hide(secret: string): void {
      for (const form of formsOf(secret)) forms.add(form);
    },
    redact,
    /** Returns data without secrets. Numbers stay as they are: half an id would be another id. */
    redactData: <Data extends Json>(data: Data): Data =>
      hasSecret(textsOf(data)) ? (mapTexts(data, redact, redactName) as Data) : data,
  };
}

/** Joins all texts in a value, so that they are searched at once. */
function textsOf(value: Json | undefined): string {
  if (typeof value === 'string') return `${value}\n`;
  if (Array.isArray(value)) return value.map(textsOf).join('');
  if (!isJsonObject(value)) return '';
  let texts = '';
  for (const name of Object.keys(value)) texts += `${name}\n${textsOf(value[name])}`;
  return texts;
}

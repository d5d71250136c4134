import { cutMark, cutOut, formsOf, shortestHidden } from '../text/secret.ts';

/** What a run has to hide, and the ways to cut it out of a text. */
export type Secrets = {
  readonly hide: (secret: string) => void;
  /** Whether any of them is in a text. */
  readonly isIn: (text: string) => boolean;
  /** A text without them. */
  readonly cut: (text: string) => string;
  /** A message without them, and without the beginning of one where the message quotes a text cut short with `…`. */
  readonly cutMessage: (text: string) => string;
};

export function createSecrets(): Secrets {
  const forms = new Set<string>();
  return {
    hide(secret) {
      for (const form of formsOf(secret)) forms.add(form);
    },
    isIn(text) {
      for (const form of forms) if (text.includes(form)) return true;
      return false;
    },
    cut: (text) => cutOut(text, forms),
    cutMessage: (text) => cutEnded(cutOut(text, forms), forms),
  };
}

function cutEnded(text: string, forms: Iterable<string>): string {
  if (!text.includes('…')) return text;
  let clean = text;
  for (const form of forms) {
    for (let length = form.length - 1; length >= shortestHidden; length -= 1) {
      clean = clean.replaceAll(`${form.slice(0, length)}…`, `${cutMark}…`);
    }
  }
  return clean;
}

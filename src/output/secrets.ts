import { cutMark, cutOut, formsOf, shortestHidden } from '../secret.ts';

/** What a run has to hide, and the two ways to cut it out of a text. */
export type Secrets = {
  readonly hide: (secret: string) => void;
  /** Whether any of them is in a text. */
  readonly isIn: (text: string) => boolean;
  /** Foreign text without them: what the service, a file, a program or the system said. */
  readonly cut: (text: string) => string;
  /**
   * The same of a text in which our words and foreign ones are no longer told apart, such as a message: all but what is a
   * word of petstore's own, since who reads a password `categories` there learns nothing, and the message would be torn.
   */
  readonly cutMixed: (text: string) => string;
};

/** Only letters make a word: digits are in the alphabets of every program. */
const word = /^[A-Za-z]+(?:[ _-][A-Za-z]+)*$/;

/** `programText` is all that petstore itself may say; it is asked for only when a secret that is a word turns up. */
export function createSecrets(programText: () => string): Secrets {
  const forms = new Set<string>();
  const ours = new Map<string, boolean>();

  function isOurs(form: string): boolean {
    const known = ours.get(form) ?? isWordOf(programText, form);
    ours.set(form, known);
    return known;
  }

  return {
    hide(secret) {
      for (const form of formsOf(secret)) forms.add(form);
    },
    isIn(text) {
      for (const form of forms) if (text.includes(form)) return true;
      return false;
    },
    cut: (text) => cutOut(text, forms),
    cutMixed(text) {
      const found = [...forms].filter((form) => text.includes(form) && !isOurs(form));
      return cutEnded(cutOut(text, found), forms);
    },
  };
}

/** The same of what is left of a secret where a text was cut short and ends in `…`. */
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

function isWordOf(programText: () => string, form: string): boolean {
  return word.test(form) && new RegExp(`(?<![A-Za-z])${form}(?![A-Za-z])`).test(programText());
}

import { naive, petstore, recorded } from './programs.ts';
import type { Trial } from './trial.ts';

type Variant = Omit<Trial, 'rows' | 'kills' | 'share'>;

/** What is tried, by name. */
export const variants: Readonly<Record<string, Variant>> = {
  'a alone': { program: petstore },
  'b torn': { program: recorded, isTorn: true },
  'c three at once': { program: petstore, atOnce: 3 },
  'd naive, checked after': { program: naive('after'), isHopeless: true },
  'd naive, checked before': { program: naive('before'), isHopeless: true },
  'e no time to settle': { program: petstore, settle: '0s', isHopeless: true },
};

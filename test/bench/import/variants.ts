import { naive, petstore } from './programs.ts';
import type { Trial } from './trial.ts';

type Variant = Omit<Trial, 'rows' | 'kills' | 'share'>;

/** What is tried, by name. */
export const variants: Readonly<Record<string, Variant>> = {
  'a alone': { program: petstore },
  'b three at once': { program: petstore, atOnce: 3 },
  'c naive, checked after': { program: naive('after'), isHopeless: true },
  'c naive, checked before': { program: naive('before'), isHopeless: true },
  'd no time to settle': { program: petstore, settle: '0s', isHopeless: true },
};

import { naive, petstore, recorded } from './programs.ts';
import type { Trial } from './trial.ts';

type Variant = Omit<Trial, 'rows' | 'kills' | 'share'>;

/** What is tried, by name. */
export const variants: Readonly<Record<string, Variant>> = {
  'a each': { program: petstore, mode: 'each' },
  'a ensure': { program: petstore, mode: 'ensure' },
  'b torn, each': { program: recorded, mode: 'each', isTorn: true },
  'b torn, ensure': { program: recorded, mode: 'ensure', isTorn: true },
  'c three at once, each': { program: petstore, mode: 'each', atOnce: 3 },
  'c three at once, ensure': { program: petstore, mode: 'ensure', atOnce: 3 },
  'd naive, checked after': { program: naive('after'), mode: 'each', isHopeless: true },
  'd naive, checked before': { program: naive('before'), mode: 'each', isHopeless: true },
  'e no time to settle': { program: petstore, mode: 'each', settle: '0s', isHopeless: true },
};

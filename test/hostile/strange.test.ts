import { describe } from 'vitest';
import { strangeFaults } from './faults/strange.ts';
import { proveEach } from './prove-each.ts';

describe('what is strange', () => proveEach(strangeFaults));

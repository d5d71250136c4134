import { describe } from 'vitest';
import { strangeFaults } from './faults/strange.ts';
import { proveEach } from './prove.ts';

describe('what is strange', () => proveEach(strangeFaults));

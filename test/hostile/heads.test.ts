import { describe } from 'vitest';
import { headFaults } from './faults/heads.ts';
import { proveEach } from './prove-each.ts';

describe('a head that is no HTTP', () => proveEach(headFaults));

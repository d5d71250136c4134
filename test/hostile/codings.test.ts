import { describe } from 'vitest';
import { codingFaults } from './faults/codings.ts';
import { proveEach } from './prove-each.ts';

describe('a body in disguise', () => proveEach(codingFaults));

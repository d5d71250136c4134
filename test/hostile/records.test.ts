import { describe } from 'vitest';
import { recordFaults } from './faults/records.ts';
import { proveEach } from './prove-each.ts';

describe('a category that is none', () => proveEach(recordFaults));

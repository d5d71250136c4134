import { describe } from 'vitest';
import { statusFaults } from './faults/statuses.ts';
import { proveEach } from './prove-each.ts';

describe('a status that is no success', () => proveEach(statusFaults));

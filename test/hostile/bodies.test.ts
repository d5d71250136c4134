import { describe } from 'vitest';
import { bodyFaults } from './faults/bodies.ts';
import { proveEach } from './prove-each.ts';

describe('a body that nobody promised', () => proveEach(bodyFaults));

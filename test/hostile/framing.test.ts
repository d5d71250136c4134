import { describe } from 'vitest';
import { framingFaults } from './faults/framing.ts';
import { proveEach } from './prove-each.ts';

describe('an answer whose parts do not fit', () => proveEach(framingFaults));

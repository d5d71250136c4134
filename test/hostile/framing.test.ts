import { describe } from 'vitest';
import { framingFaults } from './faults/framing.ts';
import { proveEach } from './prove.ts';

describe('an answer whose parts do not fit', () => proveEach(framingFaults));

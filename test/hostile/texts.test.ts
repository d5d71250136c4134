import { describe } from 'vitest';
import { textFaults } from './faults/texts.ts';
import { proveEach } from './prove-each.ts';

describe('text that acts, hides or betrays', () => proveEach(textFaults));

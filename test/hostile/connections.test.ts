import { describe } from 'vitest';
import { connectionFaults } from './faults/connections.ts';
import { proveEach } from './prove-each.ts';

describe('a connection that breaks or stalls', () => proveEach(connectionFaults));

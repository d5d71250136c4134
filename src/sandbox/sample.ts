import type { Category } from '../api/resources.ts';
import { ExactNumber, type Json } from '../json/json.ts';

const number = (digits: string) => new ExactNumber(digits);

export const sampleCategories: readonly Category[] = [
  { id: number('1'), name: 'dog', description: 'Loyal, loud and always hungry' },
  { id: number('2'), name: 'cat', description: 'Lives with you on its own terms' },
  { id: number('3'), name: 'rabbit', description: 'Quiet, quick and fond of cables' },
];

/** The interface document shows no fields of a pet: these are the sandbox's own. */
export const samplePets: readonly Json[] = [
  { id: number('1'), name: 'Bello', category: 'dog', status: 'available' },
  { id: number('2'), name: 'Minka', category: 'cat', status: 'sold' },
  { id: number('9007199254740993'), name: 'Klopfer', category: 'rabbit', status: 'available' },
];

/** The interface document shows no fields of an order: these are the sandbox's own. */
export const sampleOrders: readonly Json[] = [
  { id: number('1'), petId: number('2'), quantity: number('1'), complete: true },
  { id: number('2'), petId: number('9007199254740993'), quantity: number('2'), complete: false },
];

/** When `GET /pets/{petId}` goes away in the sandbox; the real date is not published. */
export const sampleSunset = Date.UTC(2027, 5, 30);
export const sampleDeprecation = Date.UTC(2026, 5, 30);

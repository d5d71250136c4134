/** "5,000": a number rounded to a whole one, the same for every user. */
export function thousands(value: number): string {
  return value.toFixed(0).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

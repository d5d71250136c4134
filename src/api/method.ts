/** The methods that a request may have. The interface document shows GET and POST. */
export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type Method = (typeof methods)[number];

/** Whether it may change something at the service: all may but the safe ones (RFC 9110, section 9.2.1). */
export function mayChange(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

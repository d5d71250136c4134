/** Resolves when `signal` aborts; listens no longer than `over` is not aborted. */
export function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { signal: over });
  });
}

/** Takes the text of an input part by part. Both throw a Fault where they cannot go on. */
export type Reader = {
  readonly read: (text: string) => void | Promise<void>;
  readonly end: () => void | Promise<void>;
};

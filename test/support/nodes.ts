/** The Node binaries to run the program on: this one, and those that PETSTORE_TEST_NODES lists, separated by colons. */
export const nodes = [
  process.execPath,
  ...(process.env.PETSTORE_TEST_NODES ?? '').split(':'),
].filter(Boolean);

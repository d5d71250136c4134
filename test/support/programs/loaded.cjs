// Loaded before the program: writes down, when it ends, every file and every module of Node that it has loaded.
const { writeFileSync } = require('node:fs');

process.once('exit', () => {
  const files = Object.keys(require.cache);
  const modules = process.moduleLoadList
    .filter((entry) => entry.startsWith('NativeModule '))
    .map((entry) => entry.slice('NativeModule '.length));
  writeFileSync(process.env.PETSTORE_TEST_LOADED, JSON.stringify({ files, modules }));
});

try {
  // Prints errors alone, unlike rolldown's command line, so that `npm run dev` shows only what petstore prints.
  const { build } = await import('rolldown');
  const { default: config } = await import('./rolldown.config.mjs');
  await build(config);
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error('the build needs the development packages: npm ci --include=dev');
  process.exitCode = 1;
}

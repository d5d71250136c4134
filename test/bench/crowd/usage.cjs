// Loaded before a program: at SIGUSR2 adds the CPU time that it took so far, in microseconds, to a file of all.
const { appendFileSync } = require('node:fs');

process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  appendFileSync(process.env.PETSTORE_BENCH_USAGE, `${process.pid} ${user + system}\n`);
});

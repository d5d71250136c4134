// Lets the deadlines of requests, and nothing else of 1,234 ms, pass when a file `passed` is there, not earlier.
const { existsSync, rmSync } = require('node:fs');

const { setTimeout, clearTimeout } = globalThis;
const deadlines = new Set();
globalThis.setTimeout = (pass, ms, ...args) =>
  ms === 1_234 ? deadlines.add(pass) && pass : setTimeout(pass, ms, ...args);
globalThis.clearTimeout = (timer) => deadlines.delete(timer) || clearTimeout(timer);

setInterval(() => {
  if (!existsSync('passed')) return;
  rmSync('passed');
  for (const pass of deadlines) pass();
  deadlines.clear();
}, 10).unref();

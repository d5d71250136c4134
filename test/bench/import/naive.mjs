// What scripts do without a journal: rows of an NDJSON file, eight at a time, and a list of those that need no more care.
// `after`: a row is on it once it was created, and failures are sent again. `before`: it is put there, then sent once.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [manner, file] = process.argv.slice(2);
const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key, PETSTORE_STATE_DIR: folder } = process.env;
const path = `${folder}/checkpoint`;

mkdirSync(folder, { recursive: true });
const checked = new Set(existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);
const lines = readFileSync(file, 'utf8').trim().split('\n');
const waiting = [...lines.keys()].filter((row) => !checked.has(String(row))).values();

await Promise.all(Array.from({ length: 8 }, work));

async function work() {
  for (const row of waiting) {
    if (manner === 'before') checkpoint(row);
    while (!(await create(lines[row])) && manner === 'after') await pause(20);
    if (manner === 'after') checkpoint(row);
  }
}

function checkpoint(row) {
  appendFileSync(path, `${row}\n`);
}

async function create(body) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(`${url}/categories`, { method: 'POST', headers, body });
    if (response.status === 429) await pause(1_000 * Number(response.headers.get('retry-after')));
    await response.json();
    return response.status === 201;
  } catch {
    return false;
  }
}

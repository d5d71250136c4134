import { type CommandName, commands } from './commands.ts';
import { runInProcess } from './in-process.ts';

/** One run in a process of its own, started with a command's name, an address and a timeout in ms; writes its end as JSON. */
const [name = '', url = '', timeout = ''] = process.argv.slice(2);
const { argv, json = false } = commands[name as CommandName];
const setup = { json, timeout: Number(timeout) };
console.log(JSON.stringify(await runInProcess([...argv, '--max-wait', '0'], url, setup)));

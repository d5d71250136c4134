import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, describeWindows, expect, windowsPath } from './windows.ts';

const ten = Array.from({ length: 10 }, (_, n) => `p${n}`);

/** Opens a file for a moment again and again: as nobody else may have it open, like a virus scanner, or to read it. */
const opener = `
  const fs = require('node:fs');
  setInterval(() => {
    try {
      const file = fs.openSync(process.argv[1], Number(process.argv[2]));
      setTimeout(() => fs.closeSync(file), 100);
    } catch {}
  }, 150);
  console.log('opens');
`;

/** The scanner's is libuv's UV_FS_O_EXLOCK. */
const flags = { reader: '0', scanner: `${0x10000000}` };

describeWindows((test) => {
  test('ten processes save a setting each, while another reads: all are saved', async ({
    petstore,
    start,
    folder,
  }) => {
    const settings = join(configFolder(folder), 'settings.json');
    await start('node', ['-e', opener, windowsPath(settings), flags.reader]).printed;
    const set = (profile: string) => petstore(['config', 'set', 'output', 'json', '-p', profile]);

    for (const profile of ten) {
      const { code, stderr } = await set(profile);
      expect(code, stderr).toBe(0);
    }
    const { profiles } = JSON.parse(readFileSync(settings, 'utf8'));
    expect(Object.keys(profiles).sort()).toEqual(ten);
  });

  test('settings are read and saved while a scanner opens the file again and again', async ({
    petstore,
    start,
    folder,
  }) => {
    const settings = windowsPath(join(configFolder(folder), 'settings.json'));
    await petstore(['config', 'set', 'max-wait', '9m']);
    await start('node', ['-e', opener, settings, flags.scanner]).printed;

    for (const value of ['1m', '2m', '3m', '4m', '5m']) {
      const saved = await petstore(['config', 'set', 'max-wait', value]);
      const read = await petstore(['config', 'get', 'max-wait']);

      expect(saved.code, saved.stderr).toBe(0);
      expect(read).toEqual({ code: 0, stdout: `${value}\n`, stderr: '' });
    }
  });
});

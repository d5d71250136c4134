import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether certificates can be made here. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export type Certified = {
  /** The authority's own certificate, which no machine knows. */
  readonly authority: string;
  readonly key: Buffer;
  readonly cert: Buffer;
};

/** A certificate for `names` (DNS:pets.example, IP:127.0.0.1 …) of an authority of one's own, made in `folder`. */
export function certify(folder: string, names: readonly string[]): Certified {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const fresh = (name: string) => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    return [...curve, '-keyout', file(`${name}.key`), '-subj', `/CN=${name}`];
  };
  const days = ['-days', '2'];
  const signer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-set_serial', '2'];
  writeFileSync(file('names'), `subjectAltName=${names.join(',')}\n`);

  openssl('req', '-x509', ...fresh('ca'), ...days, '-out', file('ca.pem'));
  openssl('req', '-new', ...fresh('own'), '-out', file('own.csr'));
  const request = ['-req', '-in', file('own.csr'), '-extfile', file('names')];
  openssl('x509', ...request, ...signer, ...days, '-out', file('own.pem'));

  return {
    authority: file('ca.pem'),
    key: readFileSync(file('own.key')),
    cert: readFileSync(file('own.pem')),
  };
}

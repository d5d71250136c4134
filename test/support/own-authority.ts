import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Certificate = { readonly key: Buffer; readonly cert: Buffer };

export type Authority = {
  /** Path of its own certificate, which no machine knows, for NODE_EXTRA_CA_CERTS. */
  readonly path: string;
  /** A certificate for names (DNS:pets.example, IP:127.0.0.1 …), valid from one day to another one (2026-11-20). */
  readonly certify: (names: readonly string[], from?: string, to?: string) => Certificate;
};

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const openssl = (cwd: string, ...args: string[]) =>
  execFileSync('openssl', args, { cwd, stdio: 'pipe' });

/** A certificate that nobody else has signed, made in a folder of its own. */
export function selfSign(parent: string): Certificate & { readonly folder: string } {
  const folder = mkdtempSync(join(parent, 'certificate-'));
  const days = ['-days', '3', '-subj', '/CN=self'];
  openssl(folder, 'req', '-x509', ...newKey, '-keyout', 'own.key', '-out', 'own.pem', ...days);
  return { folder, ...read(folder, 'own') };
}

const settings = `
[ca]
default_ca=own
[own]
database=index
new_certs_dir=.
rand_serial=yes
default_md=sha256
unique_subject=no
policy=any
[any]
commonName=supplied
`;

/** An authority of one's own, made in a folder. */
export function makeAuthority(parent: string): Authority {
  const { folder } = selfSign(parent);
  writeFileSync(join(folder, 'settings'), settings);
  writeFileSync(join(folder, 'index'), '');

  function certify(names: readonly string[], from = '2020-01-01', to = '2120-01-01'): Certificate {
    writeFileSync(join(folder, 'names'), `subjectAltName=${names.join(',')}\n`);
    const made = ['-keyout', 'made.key', '-out', 'made.csr', '-subj', '/CN=made'];
    openssl(folder, 'req', '-new', ...newKey, ...made);
    const by = ['-batch', '-config', 'settings', '-cert', 'own.pem', '-keyfile', 'own.key'];
    const time = (day: string) => `${day.replaceAll('-', '')}000000Z`;
    const valid = ['-startdate', time(from), '-enddate', time(to)];
    const request = ['-extfile', 'names', '-in', 'made.csr', '-out', 'made.pem'];
    openssl(folder, 'ca', ...by, ...valid, ...request);
    return read(folder, 'made');
  }

  return { path: join(folder, 'own.pem'), certify };
}

function read(folder: string, name: string): Certificate {
  const file = (ending: string) => readFileSync(join(folder, `${name}.${ending}`));
  return { key: file('key'), cert: file('pem') };
}

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Certificate = { readonly key: Buffer; readonly cert: Buffer };

export type Certificates = {
  /** Path of the authority's own, for NODE_EXTRA_CA_CERTS. */
  readonly authority: string;
  readonly good: Certificate;
  readonly expired: Certificate;
  readonly wrongHost: Certificate;
  readonly selfSigned: Certificate;
};

export const hasOpenssl = (process.env.PATH ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'openssl')));

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority and certificates, all but one of them faulty, in a folder. */
export function makeCertificates(folder: string): Certificates {
  const path = (name: string) => join(folder, name);
  const files = (name: string) => ['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`)];
  const read = (name: string) => ({
    key: readFileSync(path(`${name}.key`)),
    cert: readFileSync(path(`${name}.pem`)),
  });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });

  function selfSign(name: string): Certificate {
    openssl('req', '-x509', ...newKey, ...files(name), '-days', '3', '-subj', `/CN=${name}`);
    return read(name);
  }

  function sign(name: string, host: string, days: number): Certificate {
    const request = path(`${name}.csr`);
    const key = path(`${name}.key`);
    openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
    writeFileSync(path('extensions'), `subjectAltName=${host}\n`);
    const by = ['-CA', path('authority.pem'), '-CAkey', path('authority.key'), '-CAcreateserial'];
    const as = ['-days', String(days), '-extfile', path('extensions'), '-out', path(`${name}.pem`)];
    openssl('x509', '-req', '-in', request, ...by, ...as);
    return read(name);
  }

  selfSign('authority');
  return {
    authority: path('authority.pem'),
    good: sign('good', 'IP:127.0.0.1', 3),
    expired: sign('expired', 'IP:127.0.0.1', -1),
    wrongHost: sign('wrong-host', 'DNS:pets.example', 3),
    selfSigned: selfSign('self-signed'),
  };
}

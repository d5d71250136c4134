import { openSync, statSync } from 'node:fs';
import { arch, release } from 'node:os';
import type { Context, Environment, Output } from '../../context.ts';
import { readAndClose } from '../../disk/open-file.ts';
import { configFailure, systemCode } from '../../errors.ts';
import { hasColor, isUtf8, mayAsk } from '../../session/host.ts';
import type { CommonOptions } from '../../session/options.ts';
import { oldestNode, version } from '../../version.ts';
import { type Finding, fail, ok, unset, warn } from './finding.ts';

/** The programs and the system that a command runs on. */
export function examinePrograms({ platform, nodeVersion }: Context): Finding[] {
  const age = nodeVersion.replace('v', '').localeCompare(oldestNode, 'en', { numeric: true });
  return [
    ok('petstore', version),
    age >= 0
      ? ok('node', nodeVersion)
      : fail(
          'node',
          configFailure(`Node ${nodeVersion} is too old: petstore requires ${oldestNode} or later`),
        ),
    ok('system', `${platform} ${release()} ${arch()}`),
  ];
}

/** Whose certificates are believed, and that they are always checked. */
export function examineCertificates({ env }: Context): Finding[] {
  const findings = [examineOwnAuthorities(env.NODE_EXTRA_CA_CERTS)];
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    findings.push(
      warn('tls', 'NODE_TLS_REJECT_UNAUTHORIZED is ignored: certificates are always checked'),
    );
  }
  return findings;
}

/** What is looked through of a file of certificates, in bytes. */
const longestBundle = 16 * 1024 * 1024;

function examineOwnAuthorities(path: string | undefined): Finding {
  const check = 'certificates';
  if (!path) return ok(check, 'Node.js defaults');
  const ignored = (why: string) => warn(check, `NODE_EXTRA_CA_CERTS is ignored: ${path} ${why}`);
  try {
    if (!statSync(path).isFile()) return ignored('is not a file');
    const count = readAndClose(openSync(path, 'r'), longestBundle)
      .toString('latin1')
      .match(/-----BEGIN CERTIFICATE-----/g)?.length;
    if (!count) return ignored('contains no certificate');
    return ok(check, `Node.js defaults and ${count} from ${path}`);
  } catch (error) {
    return ignored(`cannot be read (${systemCode(error)})`);
  }
}

/** Where results and messages go, and how they look there. */
export function examineTerminal(context: Context, options: CommonOptions): Finding[] {
  const { stdout, stderr, env } = context;
  return [
    ok('stdout', looks(stdout, env, options)),
    ok('stderr', looks(stderr, env, options)),
    ok('questions', mayAsk(context, options) ? 'enabled' : 'disabled'),
    examineLocale(context),
  ];
}

function looks(output: Output, env: Environment, options: CommonOptions): string {
  const place = output.isTTY ? `a terminal, ${output.columns} columns` : 'not a terminal';
  return hasColor(output, env, options) ? `${place}, colours` : place;
}

/** The frame of a table is not ASCII. */
function examineLocale({ env, stdout }: Context): Finding {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (!locale) return unset('locale', 'not set');
  return stdout.isTTY && !isUtf8(env)
    ? warn('locale', `${locale} (not UTF-8)`)
    : ok('locale', locale);
}

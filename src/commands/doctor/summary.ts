import type { Verdict } from '../../output/checklist.ts';
import type { Finding } from './finding.ts';

type Row = Pick<Finding, 'check' | 'status' | 'finding'>;

/** What is wrong, or all of it, and how much of each there is. */
export function verdictsOf(rows: readonly Row[], all: boolean): readonly Verdict[] {
  const shown = all ? rows : rows.filter(({ status }) => status === 'fail' || status === 'warn');
  return [
    ...shown.map(({ check, status, finding }) => ({ status, title: check, text: finding })),
    summaryOf(rows, all),
  ];
}

function summaryOf(rows: readonly Row[], all: boolean): Verdict {
  const count = (...statuses: readonly Row['status'][]) =>
    rows.filter(({ status }) => statuses.includes(status)).length;
  const [failed, warnings] = [count('fail'), count('warn')];
  const parts = [
    failed > 0 && `${failed} failed`,
    warnings > 0 && `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    `${count('ok')} ok`,
    `${count('unknown', 'unset')} unknown or not set`,
  ];
  const status = failed > 0 ? 'fail' : warnings > 0 ? 'warn' : 'ok';
  const text = `${rows.length} checks: ${parts.filter(Boolean).join(', ')}`;
  return { status, text: all ? text : `${text}; to see all: petstore doctor --all` };
}

import { readVersion } from '../../scripts/lib/version.ts';
import type { Part, ProcessReport } from './report.ts';

/** What `/statusz` shows. */
export interface Status {
  /** The worst status of all parts. */
  status: Part['status'];
  version: string;
  /** One sentence for each problem. Read these first. */
  problems: string[];
  /** All parts of each process. */
  processes: { pid: number; parts: Part[] }[];
}

/** From best to worst. */
const ORDER: readonly Part['status'][] = ['ok', 'degraded', 'down'];

/** Combines the parts of all processes. */
export function describeStatus(reports: readonly ProcessReport[]): Status {
  const parts = reports.flatMap((report) => report.parts);
  const worst = Math.max(0, ...parts.map(({ status }) => ORDER.indexOf(status)));
  const problems = parts.filter(({ status }) => status !== 'ok').map(describeProblem);
  return {
    status: ORDER[worst] ?? 'ok',
    version: readVersion(),
    problems: [...new Set(problems)],
    processes: reports.map((report) => ({ pid: report.pid, parts: report.parts })),
  };
}

function describeProblem({ part, name, status, detail }: Part): string {
  return `${part}${name === undefined ? '' : ` ${name}`} is ${status}: ${detail}`;
}

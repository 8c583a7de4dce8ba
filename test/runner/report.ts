import type { FileResult } from './file-result.ts';

/** A test file, by its path in test/, and how it ended. */
export interface Ran extends FileResult {
  file: string;
}

const SLOWEST = 10;

/**
 * What the runner prints at the end. `.ci/run` reads the counts.
 *
 * @param command the command that ran the files: `npm test`, or `npm run test:all`
 */
export function renderReport(ran: readonly Ran[], seconds: number, command: string): string {
  const sum = (count: (one: Ran) => number) => ran.reduce((total, one) => total + count(one), 0);
  return `${renderSlowest(ran)}${renderFailures(ran, command)}
  Total:     ${sum(({ total }) => total)}
  Passed:    ${sum(({ passed }) => passed)}
  Skipped:   ${sum(({ skipped }) => skipped)}
  Duration:  ${seconds.toFixed(1)} s, ${sum(({ cpuSeconds }) => cpuSeconds).toFixed(1)} s of processor time

`;
}

function renderSlowest(ran: readonly Ran[]): string {
  if (ran.length <= 1) return '';
  const slowest = [...ran].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const lines = slowest.map(
    ({ file, seconds, cpuSeconds }) => `${inSeconds(seconds)} ${inSeconds(cpuSeconds)}  ${file}\n`,
  );
  return `\nThe slowest files, in seconds of wall time and of processor time:\n${lines.join('')}`;
}

function inSeconds(seconds: number): string {
  return seconds.toFixed(1).padStart(7);
}

function renderFailures(ran: readonly Ran[], command: string): string {
  const failed = ran.filter((one) => one.failed);
  if (failed.length === 0) return '';
  return `\nRun again what failed:\n${failed.map((one) => `  ${renderRerun(one, command)}\n`).join('')}`;
}

/** The command that repeats a file's run, with its seed if it printed one. */
function renderRerun({ file, output }: Ran, command: string): string {
  const seed = /\bseed: (-?\d+)/.exec(output)?.[1];
  return `${seed === undefined ? '' : `GAMEDATA_SEED=${seed} `}${command} -- ${file}`;
}

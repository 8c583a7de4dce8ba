import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { mapStacks } from './map-stacks.ts';

/** How the tests of a file ended. */
export interface FileResult {
  /** What it wrote, without uvu's summary. */
  output: string;
  failed: boolean;
  /** Tests, as uvu counts them at the end; 1 and none passed where the process ended before. */
  total: number;
  passed: number;
  skipped: number;
  seconds: number;
  /** Of processor time, with the processes that it started and waited for. */
  cpuSeconds: number;
}

/** Runs a program, and writes what the shell's children used to descriptor 3. The shell ignores what the program is sent. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';

/** The processes that run now, each the leader of a group. */
const running = new Set<number>();

/**
 * Runs a compiled test file in a process of its own.
 *
 * @param longestMs after which its process group is killed, and it has failed
 */
export async function runFile(file: string, longestMs: number): Promise<FileResult> {
  const started = performance.now();
  const child = spawn('sh', ['-c', TIMED, 'sh', process.execPath, file], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [, stdout, stderr, times] = child.stdio;
  const group = child.pid as number;
  running.add(group);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(group);
  }, longestMs);
  const read = [stdout, stderr, times].map((stream) => text(stream as NodeJS.ReadableStream));
  const code = await ended;
  clearTimeout(timer);
  // What a file left running in its group would hold the pipes open, and disturb the files after it.
  killGroup(group);
  running.delete(group);
  const [out = '', errors = '', used = ''] = await Promise.all(read);
  const late = isLate ? `took longer than ${longestMs / 1000} s, and was killed\n` : '';
  const summary = readSummary(out, errors + late, code);
  return {
    ...summary,
    output: summary.failed ? mapStacks(summary.output) : summary.output,
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: readTimes(used),
  };
}

/** Kills all that runs; for a runner that is itself interrupted. */
export function killAll(): void {
  for (const group of running) killGroup(group);
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Reads what uvu prints last, in colours or not. */
function readSummary(out: string, errors: string, code: number | null) {
  const end = out.lastIndexOf('\n  Total:');
  if (end < 0) {
    const output = `${out}\nended before its tests were done\n${errors}`;
    return { output, failed: true, total: 1, passed: 0, skipped: 0 };
  }
  const summary = stripVTControlCharacters(out.slice(end));
  const [total = 0, passed = 0, skipped = 0] = (summary.match(/\d+/g) ?? []).map(Number);
  return { output: out.slice(0, end) + errors, failed: code !== 0, total, passed, skipped };
}

/** Reads what the shell's `times` writes: its own user and system time, and on the second line those of its children. */
function readTimes(written: string): number {
  const children = written.split('\n')[1] ?? '';
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

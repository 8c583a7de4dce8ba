import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type FileResult, readResult } from './file-result.ts';
import { watchGroup } from './groups.ts';

/** Loaded before the file, whose own process has no parts otherwise. */
const OPEN_DOORS = new URL('./open-doors.js', import.meta.url).href;

/** Runs a program, and writes to descriptor 3 how much processor time it and its children used. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';

/**
 * Runs a compiled test file in a new process.
 *
 * @param maxMs after this time its process group is killed, and the file has failed
 */
export async function runFile(file: string, maxMs: number): Promise<FileResult> {
  const started = performance.now();
  const child = spawn('sh', ['-c', TIMED, 'sh', process.execPath, '--import', OPEN_DOORS, file], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  });
  const group = watchGroup(child);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [, ...streams] = child.stdio;
  const read = Promise.all(streams.map((stream) => text(stream as NodeJS.ReadableStream)));
  let late = '';
  const timer = setTimeout(() => {
    late = `took longer than ${maxMs / 1000} s, and was killed\n`;
    group.kill();
  }, maxMs);
  const code = await ended;
  clearTimeout(timer);
  // A process that the file left running would keep the pipes open and disturb the next files.
  group.kill();
  const [out = '', errors = '', times = ''] = await read;
  return readResult({
    out,
    errors: errors + late,
    isFailed: code !== 0,
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: readTimes(times),
  });
}

/** Adds up the children's user and system time, which are on the second line of the output of the shell's `times`. */
function readTimes(written: string): number {
  const children = written.split('\n')[1] ?? '';
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

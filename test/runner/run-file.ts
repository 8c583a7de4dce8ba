import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type FileResult, readResult } from './file-result.ts';
import { watchGroup } from './groups.ts';

/** Runs a program, and writes what it and its children used to descriptor 3. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';

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
  const group = watchGroup(child);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [, ...streams] = child.stdio;
  const read = Promise.all(streams.map((stream) => text(stream as NodeJS.ReadableStream)));
  let late = '';
  const timer = setTimeout(() => {
    late = `took longer than ${longestMs / 1000} s, and was killed\n`;
    group.kill();
  }, longestMs);
  const code = await ended;
  clearTimeout(timer);
  // What a file left running would hold the pipes open, and disturb the files after it.
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

/** Reads what the shell's `times` writes: its own user and system time, and on the second line those of its children. */
function readTimes(written: string): number {
  const children = written.split('\n')[1] ?? '';
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

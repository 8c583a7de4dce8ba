import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 20;
const KIB = 1024;

/**
 * Runs a command, and returns the greatest resident memory, in bytes, of any of its processes. Linux keeps that figure for each process, so that
 * only what a process needed in its last 20 ms can be missed.
 *
 * @throws Error if the command fails
 */
export async function measurePeakMemory([program, ...args]: [string, ...string[]]): Promise<number> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => {
    stderr = (stderr + text.toString()).slice(-2000);
  });
  let peak = 0;
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (isRunning()) {
    for (const pid of await listTree(child.pid as number)) peak = Math.max(peak, await readPeak(pid));
    await wait(POLL_MS);
  }
  await ended;
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return peak;
}

/** A process and all that it started. */
async function listTree(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter((word) => word !== '');
  const below = await Promise.all(children.map((child) => listTree(Number(child))));
  return [pid, ...below.flat()];
}

/** The greatest resident memory of a process so far, in bytes; 0 if it has ended. */
async function readPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * KIB;
}

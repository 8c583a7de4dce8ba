import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { commandLine } from '../../support/command.ts';
import { BENCH_FOLDER } from '../games.ts';
import { SERVER_CORE } from './load.ts';

/** A server under measurement, pinned to `SERVER_CORE`. */
export interface BenchServer {
  address: string;
  /** The seconds of processor time that all its threads have used. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

const BESIDE = path.join(import.meta.dirname, 'beside');
const RAISE_CAPS = path.join(BESIDE, 'raise-caps.js');
const TICKS_PER_SECOND = 100;
const ADDRESS = /"address":"(http:[^"]+)"/;

/** Starts `gateway serve` with its default settings, access log included, but with caps that no account reaches. */
export async function startGateway(dist: string, store: string, workers = 1): Promise<BenchServer> {
  const options = ['--port', '0', '--dist', dist, '--store', store, '--workers', String(workers)];
  const [node, ...rest] = commandLine('gateway', ['serve', ...options]);
  return await startPinned([node, '--import', RAISE_CAPS, ...rest], workers);
}

/** Starts one of the programs in beside/, which prints its address as the gateway does. */
export async function startBeside(program: string, args: string[]): Promise<BenchServer> {
  return await startPinned([process.execPath, path.join(BESIDE, `${program}.js`), ...args]);
}

async function startPinned(command: string[], workers = 1): Promise<BenchServer> {
  const folder = await mkdtemp(path.join(BENCH_FOLDER, 'server-'));
  const log = path.join(folder, 'log');
  // The log goes to a file: a process that reads a pipe would affect the measurement.
  const file = await open(log, 'a');
  const child = spawn('taskset', ['-c', String(SERVER_CORE), ...command], {
    stdio: ['ignore', file.fd, 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = () => child.kill();
  process.once('exit', kill);
  await file.close();
  const stop = async () => {
    kill();
    await ended;
    process.off('exit', kill);
    await rm(folder, { recursive: true });
  };
  let address: string | undefined;
  while (address === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const text = await readFile(log, 'utf8');
    if (workers === 1 || text.split('worker ready').length > workers) address = ADDRESS.exec(text)?.[1];
    if (child.exitCode === null) continue;
    await stop();
    throw new Error(`${command.join(' ')} ended before it listened`);
  }
  return { address, cpuSeconds: () => readCpuSeconds(child.pid as number), stop };
}

/** The seconds of processor time that a process and its children have used. */
async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Fields 14 and 15, utime and stime (proc_pid_stat(5)), are counted from the end of the name, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  const used = await Promise.all((await readChildren(pid)).map(readCpuSeconds));
  return used.reduce((sum, seconds) => sum + seconds, own);
}

/** The processes that a process started and that still run. */
async function readChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').map(Number).filter(Boolean);
}

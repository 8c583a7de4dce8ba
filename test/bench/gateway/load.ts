import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/paths.ts';
import { BENCH_FOLDER } from '../games.ts';
import type { Pair } from '../report.ts';
import type { BenchServer } from './servers.ts';

/** The requests that are sent to a server: one address after the other, all with the same headers. */
export interface Load {
  /** Addresses without their origin, as requests.lua reads them. After the last one, the first comes again. */
  paths: readonly string[];
  headers?: Record<string, string>;
}

/** The result of a load. */
interface LoadResult {
  /** Requests a second. */
  rate: number;
  requests: number;
}

/** The cores on which servers and the load run. */
export const SERVER_CORE = 0;
const LOAD_CORE = 1;
/** How many connections each core opens. */
const CONNECTIONS = 32;
/** Programs that the bench needs besides Node.js, and their Debian packages. */
const PROGRAMS = { wrk: 'wrk', taskset: 'util-linux', nginx: 'nginx-light' };

/** The Debian packages that the bench needs and that are not installed. */
export function findMissingPackages(): string[] {
  return Object.entries(PROGRAMS)
    .filter(([program]) => spawnSync(program, ['--version']).error !== undefined)
    .map(([, name]) => name);
}

/** Puts a server under load for this many whole seconds. */
export type Loader = (address: string, seconds: number) => Promise<LoadResult>;

/**
 * Puts servers under as much load as they can take, with wrk.
 *
 * @param name the file from which wrk reads the addresses
 * @returns a function that rejects if a response is neither 2xx nor 3xx, or a connection breaks
 */
export function createLoader({ paths, headers = {} }: Load, name: string): Loader {
  const file = path.join(BENCH_FOLDER, `${name}.paths`);
  const ready = mkdir(BENCH_FOLDER, { recursive: true }).then(() => writeFile(file, paths.join('\n')));
  const lines = Object.entries(headers).map(([field, value]) => `${field}: ${value}`);
  let from = 0;
  return async (address, seconds) => {
    await ready;
    const result = await runWrk(address, seconds, [file, String(from), ...lines]);
    // The next load continues where this one ended.
    from += result.requests;
    return result;
  };
}

async function runWrk(address: string, seconds: number, asked: string[]): Promise<LoadResult> {
  const script = path.join(ROOT, 'test/bench/gateway/requests.lua');
  // A server that is slow breaks nothing: wrk counts a response as an error after 2 s otherwise.
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '60s', '-s', script, address];
  const command = ['-c', String(LOAD_CORE), 'wrk', ...options, '--', ...asked];
  const { stdout } = await promisify(execFile)('taskset', command);
  const told = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string) as Record<string, number>;
  const { requests = 0, seconds: took = 0, refused = 0, broken = 0 } = told;
  if (refused > 0 || broken > 0 || requests === 0)
    throw new Error(
      `${address}: ${refused} of ${requests} responses were errors, ${broken} connections broke`,
    );
  return { rate: requests / took, requests };
}

/** A server, and the function that puts it under load. */
export interface Contender {
  server: Pick<BenchServer, 'address' | 'cpuSeconds'>;
  load: Loader;
}

/** How many seconds a measurement takes. */
const SECONDS = { long: 3, quick: 1 };
/** How many seconds each server warms up: until the hot code of each of its workers is compiled. */
const WARM_UP_SECONDS = { long: 8, quick: 3 };

/** The result of one measurement: requests a second, and µs of processor time per request. */
interface Measured {
  rate: number;
  cpu: number;
}

/**
 * Measures two servers alternately: requests per second of processor time. `detail` has the µs of processor time per request of each, and
 * the requests per second that passed, which depend on what else the machine does.
 */
export async function compareRates(
  ours: Contender,
  beside: Contender,
  { quick, pairs }: { quick: boolean; pairs: number },
): Promise<Pair[]> {
  const mode = quick ? 'quick' : 'long';
  const seconds = SECONDS[mode];
  for (const { server, load } of [ours, beside]) {
    // While it warms up, a 503 is allowed: a store on a busy core may be late to find keys that the gateway does not know yet.
    await load(server.address, WARM_UP_SECONDS[mode]).catch(() => {});
  }
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index++) {
    const a = await measureRate(ours, seconds);
    const b = await measureRate(beside, seconds);
    const detail = { oursCpu: a.cpu, besideCpu: b.cpu, oursByClock: a.rate, besideByClock: b.rate };
    measured.push({ ours: 1e6 / a.cpu, beside: 1e6 / b.cpu, detail });
  }
  return measured;
}

async function measureRate({ server, load }: Contender, seconds: number): Promise<Measured> {
  const before = await server.cpuSeconds();
  const { rate, requests } = await load(server.address, seconds);
  return { rate, cpu: (((await server.cpuSeconds()) - before) * 1e6) / requests };
}

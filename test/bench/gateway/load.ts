import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/paths.ts';
import { BENCH_FOLDER } from '../games.ts';

/** The requests that are sent to a server: one address after the other, all with the same headers. */
export interface Load {
  /** Addresses without their origin, as requests.lua reads them. After the last one, the first comes again. */
  paths: readonly string[];
  headers?: Record<string, string>;
  /** The cores that send requests, with the same number of connections each; only `LOAD_CORE` by default. */
  cores?: readonly number[];
}

/** The result of a load. */
interface LoadResult {
  /** Requests a second. */
  rate: number;
  requests: number;
  /** The average size of a response, including its head. */
  bytes: number;
  /** In ms. */
  p99: number;
}

/** The cores on which servers and the load run. */
export const SERVER_CORE = 0;
const LOAD_CORE = 1;
/** How many connections each core opens. */
const CONNECTIONS = 32;
/** How far the numbers of the requests of two cores are apart: more than a row sends. */
const APART = 9_999_991;

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
export function createLoader({ paths, headers = {}, cores = [LOAD_CORE] }: Load, name: string): Loader {
  const file = path.join(BENCH_FOLDER, `${name}.paths`);
  const ready = mkdir(BENCH_FOLDER, { recursive: true }).then(() => writeFile(file, paths.join('\n')));
  const lines = Object.entries(headers).map(([field, value]) => `${field}: ${value}`);
  let from = 0;
  return async (address, seconds) => {
    await ready;
    // Each core has other numbers, so that none repeats a request that another has sent.
    const loads = cores.map((core, index) => {
      const first = from + index * APART;
      return runWrk(core, address, seconds, [file, String(first), ...lines]);
    });
    const results = await Promise.all(loads);
    // The next load continues where this one ended.
    from += Math.max(...results.map(({ requests }) => requests));
    return sumLoads(results);
  };
}

async function runWrk(core: number, address: string, seconds: number, asked: string[]): Promise<LoadResult> {
  const script = path.join(ROOT, 'test/bench/gateway/requests.lua');
  // A server that is slow breaks nothing: wrk counts a response as an error after 2 s otherwise.
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '60s', '-s', script, address];
  const command = ['-c', String(core), 'wrk', ...options, '--', ...asked];
  const { stdout } = await promisify(execFile)('taskset', command);
  const told = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string) as Record<string, number>;
  const { requests = 0, seconds: took = 0, bytes = 0, p99 = 0, refused = 0, broken = 0 } = told;
  if (refused > 0 || broken > 0 || requests === 0)
    throw new Error(
      `${address}: ${refused} of ${requests} responses were errors, ${broken} connections broke`,
    );
  return { rate: requests / took, requests, bytes: bytes / requests, p99 };
}

/** Adds up the results of several loads at the same time. */
function sumLoads(results: readonly LoadResult[]): LoadResult {
  return results.reduce((a, b) => {
    const requests = a.requests + b.requests;
    return {
      rate: a.rate + b.rate,
      requests,
      bytes: (a.bytes * a.requests + b.bytes * b.requests) / requests,
      p99: Math.max(a.p99, b.p99),
    };
  });
}

import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/paths.ts';
import { BENCH_FOLDER } from '../games.ts';

/** What is asked of a server: one address after the other, all with the same headers. */
export interface Load {
  /** Addresses without their origin, each with a tab and a key where they differ; after the last one the first comes again. */
  paths: readonly string[];
  headers?: Record<string, string>;
  /** The cores that it comes from, as many connections from each; `LOAD_CORE` alone, where it is not given. */
  cores?: readonly number[];
}

/** What a load came to. */
export interface LoadResult {
  /** Requests a second. */
  rate: number;
  requests: number;
  /** Of an answer, on average, its head included. */
  bytes: number;
  /** In ms. */
  p99: number;
}

/** The cores that servers and the load run on. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
/** How many connections come from each core. */
const CONNECTIONS = 32;

/** Programs that the bench needs beside Node, and the Debian packages that have them. */
const PROGRAMS = { wrk: 'wrk', taskset: 'util-linux' };

/** The Debian packages that are missing for the bench. */
export function findMissingPackages(): string[] {
  return Object.entries(PROGRAMS)
    .filter(([program]) => spawnSync(program, ['--version']).error !== undefined)
    .map(([, name]) => name);
}

/** Loads a server for so many whole seconds. */
export type Loader = (address: string, seconds: number) => Promise<LoadResult>;

/**
 * Puts servers under as much load as they can take, with wrk.
 *
 * @param name of the file that wrk reads the addresses from
 * @returns a function that rejects where an answer is neither 2xx nor 3xx, or a connection breaks
 */
export function createLoader({ paths, headers = {}, cores = [LOAD_CORE] }: Load, name: string): Loader {
  const file = path.join(BENCH_FOLDER, `${name}.paths`);
  const ready = mkdir(BENCH_FOLDER, { recursive: true }).then(() => writeFile(file, paths.join('\n')));
  const lines = Object.entries(headers).map(([field, value]) => `${field}: ${value}`);
  let from = 0;
  return async (address, seconds) => {
    await ready;
    // Each begins elsewhere, so that none asks what another has just asked.
    const loads = cores.map((core, index) => {
      const first = (from + Math.floor((index * paths.length) / cores.length)) % paths.length;
      return runWrk(core, address, seconds, [file, String(first), ...lines]);
    });
    const results = await Promise.all(loads);
    // The next load goes on where this one ended, so that what was asked last is asked again as late as can be.
    from = (from + Math.max(...results.map(({ requests }) => requests))) % paths.length;
    return sumLoads(results);
  };
}

async function runWrk(core: number, address: string, seconds: number, asked: string[]): Promise<LoadResult> {
  const script = path.join(ROOT, 'test/bench/gateway/requests.lua');
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, address];
  const command = ['-c', String(core), 'wrk', ...options, '--', ...asked];
  const { stdout } = await promisify(execFile)('taskset', command);
  const told = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string) as Record<string, number>;
  const { requests = 0, seconds: took = 0, bytes = 0, p99 = 0, refused = 0, broken = 0 } = told;
  if (refused > 0 || broken > 0 || requests === 0)
    throw new Error(`${address}: ${refused} of ${requests} answers were errors, ${broken} connections broke`);
  return { rate: requests / took, requests, bytes: bytes / requests, p99 };
}

/** What several loads at the same time came to together. */
export function sumLoads(results: readonly LoadResult[]): LoadResult {
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

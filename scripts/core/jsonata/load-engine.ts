import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Port } from '../lib/port.ts';
import type { Engine, Jsonata } from './engine.ts';
import { PublishedEngine } from './published-engine.ts';

/**
 * Makes an engine that is faster than the package as published, and gives the same results; or says why it cannot.
 *
 * @param source of the installed package
 * @param filename of the source, for stack traces
 */
export type MakeEngine = (source: string, filename: string) => Engine | { problem: string };

/** Without it, the package is used as published. */
export const FAST_ENGINE = new Port<MakeEngine>();

/**
 * Makes an engine from the installed package.
 *
 * @param source that of the installed package; only tests pass another one
 */
export async function loadEngine(source = readSource()): Promise<Engine> {
  const makeEngine = await FAST_ENGINE.load();
  const made = makeEngine?.(source, findSource());
  if (made === undefined || 'problem' in made) return new PublishedEngine(loadPackage(), made?.problem);
  return made;
}

/** The source of the installed package. */
export function readSource(): string {
  return readFileSync(findSource(), 'utf8');
}

function findSource(): string {
  return createRequire(import.meta.url).resolve('jsonata');
}

function loadPackage(): Jsonata {
  return createRequire(import.meta.url)('jsonata') as Jsonata;
}

let engine: Promise<Engine> | undefined;

/** The engine of this process, loaded by the first call. */
export async function jsonataEngine(): Promise<Engine> {
  engine ??= loadEngine();
  return await engine;
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Engine, Jsonata } from './engine.ts';
import { PublishedEngine } from './published-engine.ts';
import { JSONATA_2_2_2 } from './replacements.ts';
import { rewrite } from './rewrite.ts';
import { RewrittenEngine } from './rewritten-engine.ts';

/**
 * Makes an engine from the installed package: rewritten if its source is the known one, otherwise as published.
 *
 * @param source that of the installed package; only tests pass another one
 */
export function loadEngine(source = readSource(), table = JSONATA_2_2_2): Engine {
  const rewritten = rewrite(source, table);
  if ('problem' in rewritten) return new PublishedEngine(loadPackage(), rewritten.problem);
  return new RewrittenEngine(rewritten, findSource());
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

let engine: Engine | undefined;

/** The engine of this process, loaded by the first call. */
export function jsonataEngine(): Engine {
  engine ??= loadEngine();
  return engine;
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type jsonata from 'jsonata';
import { makeRewrittenEngine } from '../fast-jsonata/make-engine.ts';
import type { Engine, Jsonata } from './engine.ts';

/**
 * Makes an engine from the installed package.
 *
 * @param source that of the installed package; only tests pass another one
 */
export async function loadEngine(source = readSource()): Promise<Engine> {
  const made = makeRewrittenEngine(source, findSource());
  if ('problem' in made) return new PublishedEngine(loadPackage(), made.problem);
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

/**
 * JSONata as published. Its two faults (README.md) would change results silently; here the evaluation fails instead.
 */
export class PublishedEngine implements Engine {
  readonly note: string | undefined;
  readonly #jsonata: Jsonata;
  #toMillis: jsonata.Expression | undefined;

  /** @param problem why there is no faster engine, although there should be one */
  constructor(jsonata: Jsonata, problem?: string) {
    this.#jsonata = jsonata;
    if (problem !== undefined)
      this.note = `jsonata is used as published, with the same results but slower: ${problem}`;
  }

  parse(text: string, options?: jsonata.JsonataOptions): jsonata.Expression {
    return this.#jsonata(text, { ...options, RegexEngine: WholeRegExp });
  }

  toMillis(time: string | undefined, picture: string | undefined): Promise<unknown> {
    this.#toMillis ??= this.parse('$toMillis($time, $picture)');
    return this.#toMillis.evaluate(undefined, { time, picture });
  }

  guardTable(table: unknown): void {
    if (typeof table !== 'object' || table === null) return;
    if (Array.isArray(table) && table.length === 0) Object.defineProperty(table, 'push', REFUSED);
    for (const part of Object.values(table)) this.guardTable(part);
  }
}

const ADVICE = 'which jsonata as published gets wrong; install the version that package.json names';

/** The `push` of an empty list. It is not enumerable, so that copies of the list do not have it. */
const REFUSED: PropertyDescriptor = {
  configurable: true,
  value() {
    throw new Error(`an empty list is grouped, ${ADVICE}`);
  },
};

/** Refuses the empty object that a regex becomes when it is copied as JSON. */
const WholeRegExp = new Proxy(RegExp, {
  construct(_RegExp, [pattern]: [unknown]) {
    if (pattern instanceof RegExp) return new RegExp(pattern);
    throw new Error(`a regex is the operand before "??" or "?:", ${ADVICE}`);
  },
});

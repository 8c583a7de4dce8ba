import { compileFunction } from 'node:vm';
import type jsonata from 'jsonata';
import type { Engine, Jsonata, SynchronousExpression } from '../jsonata/engine.ts';
import { Frame } from './frame.ts';
import { prepareTree } from './prepare-tree.ts';
import type { Rewritten } from './rewrite.ts';
import * as fast from './steps.ts';

type Sources = Exclude<Rewritten, { problem: string }>;
type ParseSynchronous = (text: string) => SynchronousExpression;

/** JSONata from its rewritten source: without its faults, and also without promises. */
export class RewrittenEngine implements Engine {
  readonly note = undefined;
  readonly #sources: Sources;
  readonly #filename: string;
  // Both are loaded on demand, because loading takes time and few games need promises (docs/speed.md).
  #synchronous: ParseSynchronous | undefined;
  #repaired: Jsonata | undefined;
  #toMillis: SynchronousExpression | undefined;

  /** @param filename of the package's source, for stack traces */
  constructor(sources: Sources, filename: string) {
    this.#sources = sources;
    this.#filename = filename;
  }

  parseSynchronous(text: string): SynchronousExpression {
    this.#synchronous ??= runModule(this.#sources.synchronous, this.#filename) as ParseSynchronous;
    return this.#synchronous(text);
  }

  parse(text: string, options?: jsonata.JsonataOptions): jsonata.Expression {
    this.#repaired ??= runModule(this.#sources.repaired, this.#filename) as Jsonata;
    return this.#repaired(text, options);
  }

  toMillis(time: string | undefined, picture: string | undefined): unknown {
    this.#toMillis ??= this.parseSynchronous('$toMillis($time, $picture)');
    return this.#toMillis.evaluate(undefined, { time, picture });
  }

  /** Does nothing: in the rewritten source no expression changes a table. */
  guardTable(): void {}
}

/** Runs the source of a CommonJS module, outside the module cache. */
function runModule(source: string, filename: string): unknown {
  const module = { exports: {} };
  const given = { copyOf, fast, Frame, prepareTree };
  const run = compileFunction(source, ['module', 'exports', ...Object.keys(given)], { filename });
  run(module, module.exports, ...Object.values(given));
  return module.exports;
}

/** Copies a part of a parsed expression, including all objects and lists in it. */
function copyOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(copyOf);
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
}

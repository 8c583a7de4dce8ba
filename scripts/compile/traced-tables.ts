import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import type { SameValues } from './same-values.ts';

/**
 * A part of the tables that an evaluation saw: by the names that lead to it, the whole value (undefined: that nothing is there), or of an
 * object only that it is one.
 */
export interface Read {
  path: readonly string[];
  seen: Json | undefined | typeof AN_OBJECT;
}

const AN_OBJECT = Symbol('an object');

/** What is seen of a table, of a row and of an attribute is told apart; anything below counts as seen whole. */
const FINEST = 3;

/** Who reads more than this is not worth a record of it. */
const MOST_READS = 10_000;

/**
 * The tables of a build in a form that takes note of what is read of them.
 *
 * Expressions are functions of their row and of what they read of the tables: they know no time, no chance and no state. One that is
 * evaluated on the same row therefore reads the same first part of the tables; where that is as it was, the same second one, and so on.
 * As long as all parts that it read are as they were, its result is.
 */
export class TracedTables {
  /** The tables by name, for an expression. */
  readonly values: Record<string, Json>;
  readonly #tables: JsonObject;
  #reads = new Set<Read>();
  /** Whether a read holds in these tables: rows have many reads in common. */
  readonly #holding = new Map<Read, boolean>();

  constructor(tables: Record<string, Json>) {
    this.#tables = tables;
    this.values = this.#trace(tables, []);
  }

  /** Begins to take note anew. */
  begin(): void {
    this.#reads = new Set();
  }

  /** What was read since the beginning; undefined for too much to keep. */
  get reads(): ReadonlySet<Read> | undefined {
    return this.#reads.size > MOST_READS ? undefined : this.#reads;
  }

  /** Whether what was read of other tables would be the same here. */
  hold(reads: ReadonlySet<Read>, same: SameValues): boolean {
    for (const read of reads) {
      let holds = this.#holding.get(read);
      if (holds === undefined) {
        const value = this.#at(read.path);
        holds = read.seen === AN_OBJECT ? isObject(value) : same.compare(read.seen, value);
        this.#holding.set(read, holds);
      }
      if (!holds) return false;
    }
    return true;
  }

  #at(path: readonly string[]): Json | undefined {
    let value: Json | undefined = this.#tables;
    for (const name of path) value = isObject(value) ? ownValue(value, name) : undefined;
    return value;
  }

  /** @param covered whether all of the object is noted as read already */
  #trace(object: JsonObject, path: readonly string[], covered: () => boolean = () => false): JsonObject {
    const whole: Read = { path, seen: object };
    const isCovered = () => this.#reads.has(whole) || covered();
    const parts = new Map<string, { read: Read; value: Json | undefined }>();
    const partOf = (name: string): { read: Read; value: Json | undefined } => {
      const value = ownValue(object, name);
      const below = [...path, name];
      if (!isObject(value) || below.length === FINEST) return { read: { path: below, seen: value }, value };
      return { read: { path: below, seen: AN_OBJECT }, value: this.#trace(value, below, isCovered) };
    };
    const get = (name: string): Json | undefined => {
      let part = parts.get(name);
      if (part === undefined) {
        part = partOf(name);
        parts.set(name, part);
      }
      if (!isCovered()) this.#note(part.read);
      return part.value;
    };
    return new Proxy(object, {
      get: (target, name) => {
        const value = typeof name === 'string' ? get(name) : undefined;
        return value === undefined ? Reflect.get(target, name) : value;
      },
      has: (target, name) => {
        if (typeof name === 'string') get(name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor: (target, name) => {
        const value = typeof name === 'string' ? get(name) : undefined;
        const descriptor = Reflect.getOwnPropertyDescriptor(target, name);
        return descriptor && { ...descriptor, value };
      },
      ownKeys: (target) => {
        this.#note(whole);
        return Reflect.ownKeys(target);
      },
    });
  }

  #note(read: Read): void {
    if (this.#reads.size <= MOST_READS) this.#reads.add(read);
  }
}

function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

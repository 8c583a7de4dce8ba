import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import type { SameValues } from './same-values.ts';

/**
 * A part of the tables that an evaluation read: the names that lead to it, and what it saw there. That is the whole value (undefined if
 * there is none), or only the fact that it is an object.
 */
export interface Read {
  path: readonly string[];
  seen: Json | undefined | typeof AN_OBJECT;
}

const AN_OBJECT = Symbol('an object');

/** What JSONata, and promises, look up in every value to find out what it is. That a row or table has none of them is not noted. */
const PROBES: ReadonlySet<string> = new Set([
  'sequence',
  'tupleStream',
  'keepSingleton',
  'outerWrapper',
  'cons',
  'then',
  'toJSON',
  '_jsonata_function',
  '_jsonata_lambda',
]);

/** Tables, rows and attributes are distinguished. A read inside an attribute counts as a read of the whole attribute. */
const MAX_DEPTH = 3;

/** The reads of an evaluation that reads more than this are not kept. */
const MAX_READS = 10_000;

/** The tables of a build behind proxies, which record what an expression reads. The README explains what this is for. */
export class TracedTables {
  /** The tables by name, for an expression. */
  readonly values: Record<string, Json>;
  readonly #tables: JsonObject;
  #reads = new Set<Read>();
  /** Whether a read returns the same in these tables. Rows share many reads. */
  readonly #holding = new Map<Read, boolean>();

  constructor(tables: Record<string, Json>) {
    this.#tables = tables;
    this.values = this.#trace(tables, []);
  }

  /** Starts a new record of reads. */
  begin(): void {
    this.#reads = new Set();
  }

  /** The reads since `begin`; undefined if there are too many to keep. */
  get reads(): ReadonlySet<Read> | undefined {
    return this.#reads.size > MAX_READS ? undefined : this.#reads;
  }

  /** Whether reads of other tables would return the same values in these. */
  hold(reads: ReadonlySet<Read>, same: SameValues): boolean {
    for (const read of reads) {
      let holds = this.#holding.get(read);
      if (holds === undefined) {
        const value = this.#at(read.path);
        holds =
          read.seen === AN_OBJECT ? isObject(value) && !hasProbes(value) : same.compare(read.seen, value);
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

  /** @param covered whether the record of reads includes the whole object already */
  #trace(object: JsonObject, path: readonly string[], covered: () => boolean = () => false): JsonObject {
    const whole: Read = { path, seen: object };
    const isCovered = () => this.#reads.has(whole) || covered();
    const parts = new Map<string, { read: Read; value: Json | undefined }>();
    const partOf = (name: string): { read: Read; value: Json | undefined } => {
      const value = ownValue(object, name);
      const below = [...path, name];
      if (!isObject(value) || below.length === MAX_DEPTH)
        return { read: { path: below, seen: value }, value };
      return { read: { path: below, seen: AN_OBJECT }, value: this.#trace(value, below, isCovered) };
    };
    const get = (name: string): Json | undefined => {
      if (PROBES.has(name) && path.length > 0 && !Object.hasOwn(object, name)) return undefined;
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
        if (typeof name === 'string' && !isCovered()) get(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      ownKeys: (target) => {
        this.#note(whole);
        return Reflect.ownKeys(target);
      },
    });
  }

  #note(read: Read): void {
    if (this.#reads.size <= MAX_READS) this.#reads.add(read);
  }
}

function hasProbes(object: JsonObject): boolean {
  return [...PROBES].some((name) => Object.hasOwn(object, name));
}

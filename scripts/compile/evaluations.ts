import { type Steps, UNWATCHED } from '../findings.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import type { BuildTables } from '../read/tables.ts';
import { type Evaluation, plainEvaluation } from './compile-build.ts';
import type { Expression } from './expression.ts';

/** Values with more levels than a served record can have (`canonicalise`) count as different. */
const MAX_DEPTH = 64;

/** Compares JSON values, including the order of keys, which expressions can see. Two objects are compared once. */
export class SameValues {
  /** The last comparison of each object. */
  readonly #compared = new WeakMap<object, { other: object; same: boolean }>();

  /** Whether two values are the same. */
  compare(a: Json | undefined, b: Json | undefined): boolean {
    if (!isComposite(a) || !isComposite(b)) return Object.is(a, b);
    if (a === b) return true;
    const compared = this.#compared.get(a);
    if (compared?.other === b) return compared.same;
    const same = sameBelow(a, b, MAX_DEPTH);
    this.#compared.set(a, { other: b, same });
    return same;
  }
}

function isComposite(value: Json | undefined): value is Json & object {
  return typeof value === 'object' && value !== null;
}

function sameBelow(a: Json | undefined, b: Json | undefined, levels: number): boolean {
  if (Object.is(a, b)) return true;
  if (levels === 0) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element, index) => sameBelow(element, b[index], levels - 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && sameBelow(a[key], b[key], levels - 1))
  );
}

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
const MAX_TRACED_DEPTH = 3;

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
      if (!isObject(value) || below.length === MAX_TRACED_DEPTH)
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

/** How often an expression found what it looked up in one place of the tables. Each key counts once for each row. */
export interface Join {
  table: string;
  /** The part of the table where it looked; undefined for its rows. */
  part: string | undefined;
  found: number;
  missed: number;
  /** The first keys that were missed, each once. */
  keys: readonly string[];
}

const MAX_KEYS = 3;

type Counter = Join & { keys: string[] };

/**
 * Counts what the expressions of a build looked up in its tables by key, from the reads that are recorded anyway. What an expression names
 * itself (the `en` of `$tables.texts.en`) is part of the place; other names are keys.
 */
export class Joins {
  readonly #counters = new Map<Expression, Map<string, Counter>>();

  /** Counts the reads of an expression for one row. */
  add(expression: Expression, reads: ReadonlySet<Read>): void {
    for (const { path, seen } of reads) {
      const [table = '', first, second] = path;
      if (first === undefined) continue;
      const part = expression.literals.has(first) ? first : undefined;
      const key = part === undefined && second === undefined ? first : part && second;
      if (key !== undefined && !expression.literals.has(key))
        this.#count(expression, { table, part }, key, seen !== undefined);
    }
  }

  /** What an expression looked up, by place. */
  of(expression: Expression): readonly Join[] {
    return [...(this.#counters.get(expression)?.values() ?? [])];
  }

  #count(
    expression: Expression,
    { table, part }: Pick<Join, 'table' | 'part'>,
    key: string,
    isFound: boolean,
  ): void {
    const counters = this.#counters.get(expression) ?? new Map<string, Counter>();
    this.#counters.set(expression, counters);
    const place = part === undefined ? table : `${table}\0${part}`;
    const counter = counters.get(place) ?? { table, part, found: 0, missed: 0, keys: [] };
    counters.set(place, counter);
    if (isFound) counter.found++;
    else counter.missed++;
    if (!isFound && counter.keys.length < MAX_KEYS && !counter.keys.includes(key)) counter.keys.push(key);
  }
}

/** The value of an expression, and everything that it depends on. */
interface Result {
  row: Json | undefined;
  reads: ReadonlySet<Read>;
  value: Json | undefined;
}

/** Results by expression and by the key of the row. */
type Results = Map<Expression, Map<unknown, Result>>;

/**
 * Evaluates the expressions of a game's builds, one build after the other. If a row and everything that is joined to it did not change, the
 * result of the build before is used again.
 */
export class Evaluations {
  readonly #steps: Steps;
  readonly #same = new SameValues();
  #before: Results = new Map();
  #now: Results = new Map();
  #values: Record<string, Json> = {};

  constructor(steps = UNWATCHED) {
    this.#steps = steps;
  }

  /** The evaluation of the next build. Builds share its results: they must not be changed. */
  of(tables: BuildTables): Evaluation {
    this.#before = this.#now;
    this.#now = new Map();
    const plain = plainEvaluation(tables, this.#steps);
    const traced = new TracedTables(plain.values);
    const { values } = traced;
    const joins = new Joins();
    const before = this.#values;
    this.#values = plain.values;
    /** What data are made of is read once, so it is in no record of reads. */
    const areSame = (names: Iterable<string>) =>
      [...names].every((name) => this.#same.compare(ownValue(before, name), ownValue(plain.values, name)));
    return {
      values,
      joins,
      evaluate: (expression, context, bindings, place, findings) => {
        const row = context === values ? undefined : (context as Json);
        const { key } = bindings;
        const { sharedData } = expression;
        if (sharedData) expression.prepare(bindings);
        const isStale =
          sharedData && !areSame(sharedData.tables ?? Object.keys({ ...before, ...plain.values }));
        const evaluated = isStale ? undefined : this.#before.get(expression)?.get(key);
        if (evaluated && this.#same.compare(evaluated.row, row) && traced.hold(evaluated.reads, this.#same)) {
          this.#keep(expression, key, evaluated);
          joins.add(expression, evaluated.reads);
          return evaluated.value;
        }
        const findingsBefore = findings.length;
        traced.begin();
        const value = plain.evaluate(expression, context, bindings, place, findings);
        const { reads } = traced;
        if (reads) joins.add(expression, reads);
        // A result with a finding is not kept: the finding names this build.
        if (reads && findings.length === findingsBefore) this.#keep(expression, key, { row, reads, value });
        return value;
      },
    };
  }

  #keep(expression: Expression, key: unknown, result: Result): void {
    const results = this.#now.get(expression) ?? new Map<unknown, Result>();
    this.#now.set(expression, results);
    results.set(key, result);
  }
}

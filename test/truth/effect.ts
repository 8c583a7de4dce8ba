import type { CompiledBuild } from '../../scripts/compile/compile-build.ts';
import type { Json, JsonObject } from '../../scripts/format/dist-format.ts';

/** What a mutation changes of what is served. */
export interface Effect {
  /** The dotted keys of attributes that differ, without positions in lists. */
  keys: ReadonlySet<string>;
  /** The lists in which records differ, came or went, and those in which records came or went. */
  lists: ReadonlySet<string>;
  renewed: ReadonlySet<string>;
  /** How many records differ. */
  records: number;
  /** How many of these the build before has as well: what is new cannot be compared. */
  shared: number;
  /** Whether a name is among what differs, and a number: not only ids, or texts made of several values. */
  named: boolean;
  numeric: boolean;
}

/**
 * Compares what is served with and without a mutation.
 *
 * @param earlier the build before
 */
export function compareServed(before: CompiledBuild, after: CompiledBuild, earlier: CompiledBuild): Effect {
  const keys = new Set<string>();
  const lists = new Set<string>();
  const renewed = new Set<string>();
  let records = 0;
  let shared = 0;
  const later = listsOf(after);
  const old = listsOf(earlier);
  for (const [list, rows] of listsOf(before)) {
    const others = later.get(list) ?? new Map<string, JsonObject>();
    for (const id of new Set([...rows.keys(), ...others.keys()])) {
      const known = keys.size;
      const changed = compareValues('', rows.get(id), others.get(id), keys);
      if (!changed && keys.size === known) continue;
      records++;
      if (old.get(list)?.has(id)) shared++;
      lists.add(list);
      if (!rows.has(id) || !others.has(id)) renewed.add(list);
    }
  }
  const isName = (key: string) => /(?:^|\.)name(?:_|$)/.test(key);
  return {
    keys,
    lists,
    renewed,
    records,
    shared,
    named: [...keys].some(isName),
    numeric: [...keys].some((key) => hasNumber(before, key)),
  };
}

/** Whether an attribute is a number in a record, also inside lists. */
function hasNumber(build: CompiledBuild, key: string): boolean {
  const isNumber = (value: Json | undefined, path: readonly string[]): boolean => {
    if (Array.isArray(value)) return value.some((element) => isNumber(element, path));
    const [name, ...inside] = path;
    if (name === undefined) return typeof value === 'number';
    return typeof value === 'object' && value !== null && isNumber((value as JsonObject)[name], inside);
  };
  for (const records of listsOf(build).values()) {
    for (const record of records.values()) if (isNumber(record, key.split('.'))) return true;
  }
  return false;
}

function listsOf({ characters, datasets }: CompiledBuild): Map<string, Map<string, JsonObject>> {
  const byId = (records: readonly { record: JsonObject }[]) =>
    new Map(records.map(({ record }, at) => [typeof record.id === 'string' ? record.id : `#${at}`, record]));
  return new Map([
    ['characters', byId(characters)],
    ...datasets.map(
      (dataset) =>
        [
          dataset.key,
          dataset.kind === 'list' ? byId(dataset.records) : new Map([['', dataset.object]]),
        ] as const,
    ),
  ]);
}

/** Whether two values differ; adds the keys of what differs inside them. */
function compareValues(
  key: string,
  before: Json | undefined,
  after: Json | undefined,
  keys: Set<string>,
): boolean {
  if (before === after) return false;
  const both = [before, after].every((value) => typeof value === 'object' && value !== null);
  if (!both) {
    if (key !== '') keys.add(key);
    return true;
  }
  const isList = Array.isArray(before) && Array.isArray(after);
  const [one, other] = [before as JsonObject, after as JsonObject];
  let changed = false;
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const inner = isList ? key : key === '' ? name : `${key}.${name}`;
    if (compareValues(inner, one[name], other[name], keys)) changed = true;
  }
  return changed;
}

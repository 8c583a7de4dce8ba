import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';

/** How many units and names of records a summary names. */
const MAX_UNITS = 40;
const MAX_NAMES = 8;
const MAX_REASON_CHARS = 160;

/**
 * Summarizes a build of a history: what changed for players first, then what the data began to have.
 *
 * @param only `new_units` or `stats` leave out everything else
 */
export function summarizeBuild(build: JsonObject, only: unknown): JsonObject {
  const characters = objectIn(build, 'characters');
  const { added = [], changed = [], removed = [] } = characters as Record<string, Json[]>;
  const name = { build: build.build ?? null, released_at: build.released_at ?? null };
  const units = {
    new_characters: first(added, MAX_UNITS),
    ...countOf('new_characters', lengthOf(characters, 'added')),
  };
  if (only === 'new_units') return { ...name, ...units };
  const shown = only === 'stats' ? changed.filter(isObject).flatMap(statsOf) : changed;
  const count = only === 'stats' ? shown.length : lengthOf(characters, 'changed');
  const changes = { changed_characters: first(shown, MAX_UNITS), ...countOf('changed_characters', count) };
  if (only === 'stats') return { ...name, ...changes };
  const datasets = Object.entries(objectIn(build, 'datasets')).flatMap(([key, each]) =>
    isObject(each) ? summarizeDataset(key, each) : [],
  );
  return {
    ...name,
    ...(typeof build.note === 'string' && { note: build.note }),
    ...units,
    ...changes,
    ...(removed.length > 0 && { removed_characters: first(removed, MAX_UNITS) }),
    ...(datasets.length > 0 && { datasets: Object.fromEntries(datasets) }),
    ...(Array.isArray(build.amended) && {
      corrections_of_the_data: build.amended.filter(isObject).map(({ at, reason }) => ({
        at: at ?? null,
        reason: String(reason).slice(0, MAX_REASON_CHARS),
      })),
    }),
  };
}

/** Keeps of a diff what `only` names, or else one collection whole and what the others have in numbers. */
export function restrictDiff(diff: JsonObject, only: unknown, collection: string): void {
  const { added = [], changed = [] } = objectIn(diff, 'characters') as Record<string, Json[]>;
  if (only !== undefined) {
    delete diff.datasets;
    diff.characters =
      only === 'new_units' ? { added } : { changed: changed.filter(isObject).flatMap(statChangesOf) };
    return;
  }
  const datasets = Object.entries(objectIn(diff, 'datasets')).flatMap(([key, each]): [string, Json][] => {
    if (!isObject(each)) return [];
    return key === collection ? [[key, withNames(each)]] : summarizeDataset(key, each);
  });
  diff.datasets = Object.fromEntries(datasets);
}

/** Puts the names of added and removed records beside their ids, so that both are cut together. */
function withNames({ names, gained: _, ...dataset }: JsonObject): JsonObject {
  const named = isObject(names) ? names : {};
  const name = (list: Json | undefined): Json[] =>
    Array.isArray(list) ? list.map((id) => ({ id, name: named[String(id)] ?? null })) : [];
  return { ...dataset, added: name(dataset.added), removed: name(dataset.removed) };
}

/** Counts what is new, and what the data only began to have. */
function summarizeDataset(key: string, dataset: JsonObject): [string, Json][] {
  const { added, gained, names, kind } = dataset;
  const began = new Set(Array.isArray(gained) ? gained : []);
  const fresh = Array.isArray(added) ? added.filter((id) => !began.has(id)) : [];
  const named = isObject(names) ? names : {};
  const [changed, removed] = [lengthOf(dataset, 'changed'), lengthOf(dataset, 'removed')];
  const counts = {
    ...(kind === 'added' && { first_served_with_this_build: true }),
    ...(kind !== 'added' &&
      fresh.length > 0 && {
        new: lengthOf(dataset, 'added') - lengthOf(dataset, 'gained'),
        names: first(
          fresh.map((id) => named[String(id)] ?? id),
          MAX_NAMES,
        ),
      }),
    ...(changed > 0 && { changed }),
    ...(removed > 0 && { removed }),
  };
  return Object.keys(counts).length > 0 ? [[key, counts]] : [];
}

function statsOf(unit: JsonObject): JsonObject[] {
  const fields = Array.isArray(unit.fields)
    ? unit.fields.filter((each) => String(each).startsWith('stats'))
    : [];
  return fields.length > 0 ? [{ ...unit, fields }] : [];
}

function statChangesOf(unit: JsonObject): JsonObject[] {
  const isStat = (each: Json) => isObject(each) && String(each.path).startsWith('/stats');
  const changes = Array.isArray(unit.changes) ? unit.changes.filter(isStat) : [];
  return changes.length > 0 ? [{ ...unit, changes }] : [];
}

function first(list: readonly Json[], most: number): Json[] {
  return list.slice(0, most);
}

/** Says how many there are if not all are named. */
function countOf(name: string, count: number): JsonObject {
  return count > MAX_UNITS ? { [`${name}_in_all`]: count } : {};
}

/** Returns the length of a list, of which only the first page may be there. */
function lengthOf(lists: JsonObject, name: string): number {
  const { counts, [name]: list } = lists;
  const count = isObject(counts) ? counts[name] : undefined;
  return typeof count === 'number' ? count : Array.isArray(list) ? list.length : 0;
}

function objectIn(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isObject(value) ? value : {};
}

import type { BuildContent } from '../format/build-content.ts';
import { isObject, type Json } from '../format/dist-format.ts';

/** What is read of the difference of a dataset: `added` if its records have ids. */
interface ListChange {
  kind?: 'added' | 'removed';
  added?: readonly string[];
}

/** Where upstream says in which version of the game, or when, a record appeared. */
const VERSIONS = ['version', 'version_added', 'release_version'];
const DATES = ['released_at', 'release_date', 'start', 'start_at'];
const TEXT = /"((?:[^"\\]|\\.)*)"(?=[,\]}])/g;

/**
 * Finds the records that a build is the first to serve although nothing says that they are new in the game: all records of a dataset that the
 * build before lacked, and records of other datasets that only these name. A record that upstream dates to this build is new in the game.
 *
 * @returns ids by dataset; a dataset without such records is absent
 */
export function findGainedRecords(
  before: BuildContent,
  after: BuildContent,
  diffs: Readonly<Record<string, ListChange>>,
): Map<string, string[]> {
  const gained = new Map<string, string[]>();
  const isFirst = ([, diff]: [string, ListChange]) => diff.kind === 'added';
  const first = Object.entries(diffs).filter(isFirst);
  if (first.length === 0) return gained;
  const isNew = (key: string) => datedRecords(key, before, after);
  const note = (key: string, ids: readonly string[]) => {
    const dated = isNew(key);
    const left = ids.filter((id) => !dated.has(id));
    if (left.length > 0) gained.set(key, left);
  };
  for (const [key, diff] of first) if (diff.added) note(key, diff.added);
  const names = new Map<string, ReadonlySet<string>>();
  const firstKeys = new Set(first.map(([key]) => key));
  for (const [key, diff] of Object.entries(diffs)) {
    if (firstKeys.has(key) || !diff.added || diff.added.length === 0) continue;
    const isNamedBy = (others: readonly string[]) => {
      for (const other of others) names.set(other, names.get(other) ?? namesIn(other, after));
      const sets = others.flatMap((other) => names.get(other) ?? []);
      return (id: string) => sets.some((set) => set.has(id));
    };
    const byFirst = isNamedBy([...firstKeys]);
    const candidates = diff.added.filter(byFirst);
    if (candidates.length === 0) continue;
    const collections = ['characters', ...after.datasets.keys()];
    const byOthers = isNamedBy(collections.filter((other) => other !== key && !firstKeys.has(other)));
    note(
      key,
      candidates.filter((id) => !byOthers(id)),
    );
  }
  return gained;
}

/** All texts that are values in a collection, but not the ids of its own records. */
function namesIn(key: string, build: BuildContent): ReadonlySet<string> {
  const names = new Set<string>();
  for (const text of textsOf(key, build)) {
    // The id of a record comes first.
    const rest = text.startsWith('{"id":') ? text.slice(text.indexOf(',') + 1) : text;
    for (const [, value = ''] of rest.matchAll(TEXT)) names.add(value);
  }
  return names;
}

function textsOf(key: string, { characters, datasets }: BuildContent): readonly string[] {
  if (key === 'characters') return characters;
  const dataset = datasets.get(key);
  return dataset === undefined ? [] : dataset.kind === 'list' ? dataset.records : [dataset.text];
}

/** The ids of the records that upstream dates to this build, and not to an earlier one. */
function datedRecords(key: string, before: BuildContent, after: BuildContent): Set<string> {
  const dated = new Set<string>();
  for (const text of textsOf(key, after)) {
    const record: Json = JSON.parse(text);
    if (!isObject(record) || typeof record.id !== 'string') continue;
    const { id } = record;
    const isOfBuild = VERSIONS.some((name) => record[name] === after.build);
    const times = DATES.map((name) => Date.parse(String(record[name] ?? '')));
    const isBetween = times.some(
      (time) => time > Date.parse(before.released_at) && time <= Date.parse(after.released_at),
    );
    if (isOfBuild || isBetween) dated.add(id);
  }
  return dated;
}

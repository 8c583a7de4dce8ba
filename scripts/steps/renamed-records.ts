import type { CompiledBuild } from '../compile/compile-build.ts';
import { type Finding, placeBelow } from '../findings/findings.ts';
import { type JsonObject, ownValue } from '../format/dist-format.ts';
import { suggestFix } from '../lib/nearest.ts';
import type { GateFinding } from './overrides.ts';
import type { BuildProfile, ListProfile } from './profile/profile.ts';

type Renames = Readonly<Record<string, string>>;

/** The profile of the build before, with the ids that its records have in the build that renumbered them. */
export function renumberProfile(before: BuildProfile, { renamed }: CompiledBuild['source']): BuildProfile {
  if (Object.keys(renamed).length === 0) return before;
  const lists = [...before.lists].map(([key, list]): [string, ListProfile] => {
    const renames = ownValue(renamed, key);
    return [key, renames && list.byId ? renumberList(list, renames) : list];
  });
  return { ...before, lists: new Map(lists) };
}

function renumberList(list: ListProfile, renames: Renames): ListProfile {
  const newId = (id: string): string => (Object.hasOwn(renames, id) ? (renames[id] ?? '') : id);
  const records = list.records.map((record): JsonObject => ({ ...record, id: newId(String(record.id)) }));
  const byId = new Map(records.map((record) => [String(record.id), record]));
  // If a renumbered record has the id of another one, that id means the renumbered one.
  for (const record of records.filter((_record, at) => Object.hasOwn(renames, String(list.records[at]?.id))))
    byId.set(String(record.id), record);
  return { ...list, records, byId };
}

/** What is wrong with the renumbered records of a build: then ids in these lists are wrong as well. */
export function findWrongRenames(
  before: BuildProfile | undefined,
  after: BuildProfile,
  { renamed, renamedAt }: CompiledBuild['source'],
): GateFinding[] {
  return Object.entries(renamed).flatMap(([collection, renames]) => {
    const at = (problem: Problem, ...steps: string[]): GateFinding => ({
      check: 'renamed',
      severity: 'error',
      of: collection,
      causes: [collection],
      place: placeBelow(renamedAt, collection, ...steps),
      ...problem,
    });
    if (before === undefined) return [at(IN_FIRST_BUILD)];
    const [earlier, later] = [before, after].map(({ lists }) => lists.get(collection)?.byId);
    if (earlier === undefined) return [at(unknownCollection(collection, before, 'the build before'))];
    if (later === undefined) return [at(unknownCollection(collection, after, 'this build'))];
    const taken = new Set<string>();
    return Object.entries(renames).flatMap(([from, to]): GateFinding[] => {
      const problem = findProblem(from, to, { earlier, later, taken, renames });
      taken.add(to);
      return problem === undefined ? [] : [at(problem, from)];
    });
  });
}

type Problem = Pick<Finding, 'found' | 'expected' | 'fix'>;
type ById = ReadonlyMap<string, JsonObject>;

const IN_FIRST_BUILD: Problem = {
  found: 'renumbered records in the first build',
  expected: '"renamed" in a build that has one before it',
  fix: 'remove it',
};

function unknownCollection(collection: string, { lists }: BuildProfile, where: string): Problem {
  const collections = [...lists.values()].flatMap(({ list, byId }) => (byId ? [list] : []));
  return {
    found: lists.has(collection)
      ? `"${collection}", whose records have no ids in ${where}`
      : `no collection "${collection}" in ${where}`,
    expected: `one whose records have ids: ${collections.join(', ')}`,
    ...suggestFix(collection, collections),
  };
}

interface Renumbering {
  /** The records of the build before, and of this build. */
  earlier: ById;
  later: ById;
  /** The new ids so far. */
  taken: ReadonlySet<string>;
  renames: Renames;
}

function findProblem(
  from: string,
  to: string,
  { earlier, later, taken, renames }: Renumbering,
): Problem | undefined {
  if (!earlier.has(from)) return unknownId(from, earlier, 'the build before', 'its old id');
  if (!later.has(to)) return unknownId(to, later, 'this build', 'its new id');
  if (taken.has(to)) return { found: `a second record with the new id "${to}"`, expected: 'one' };
  const expected = 'records that have another id in this build';
  const fix = `remove "${from}"`;
  const [record, renumbered] = [earlier.get(from), later.get(to)];
  if (isSameRecord(record, renumbered)) return undefined;
  if (isSameRecord(record, later.get(from)))
    return { found: `the record "${from}", which still has this id`, expected, fix };
  if (!Object.hasOwn(renames, to) && isSameRecord(earlier.get(to), renumbered))
    return { found: `the new id "${to}", which another record had before and still has`, expected, fix };
  return undefined;
}

function unknownId(id: string, ids: ById, where: string, expected: string): Problem {
  return { found: `no record "${id}" in ${where}`, expected, ...suggestFix(id, ids.keys()) };
}

/** Whether two records have the same name; if they have none, whether all but their ids is the same. */
function isSameRecord(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const contentOf = (record: JsonObject) => JSON.stringify({ ...record, id: null });
  return typeof one.name === 'string' ? one.name === other.name : contentOf(one) === contentOf(other);
}

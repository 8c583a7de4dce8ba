import { closest } from 'fastest-levenshtein';
import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { Finding } from '../../findings/findings.ts';
import type { JsonObject } from '../../format/dist-format.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { BuildProfile, ListProfile } from './profile.ts';

type Renames = Readonly<Record<string, string>>;

/** The profile of the build before, with the ids that its records have in the build that renumbered them. */
export function renumberProfile(before: BuildProfile, { renamed }: CompiledBuild['source']): BuildProfile {
  if (Object.keys(renamed).length === 0) return before;
  const lists = [...before.lists].map(([key, list]): [string, ListProfile] => {
    const renames = renamed[key];
    return [key, renames && list.byId ? renumberList(list, renames) : list];
  });
  return { ...before, lists: new Map(lists) };
}

function renumberList(list: ListProfile, renames: Renames): ListProfile {
  const newId = (id: string): string => (Object.hasOwn(renames, id) ? (renames[id] as string) : id);
  const records = list.records.map((record): JsonObject => ({ ...record, id: newId(String(record.id)) }));
  const byId = new Map(records.map((record) => [String(record.id), record]));
  // If a renumbered record has the id of another one, that id means the renumbered one.
  for (const record of records.filter((_record, at) => Object.hasOwn(renames, String(list.records[at]?.id))))
    byId.set(String(record.id), record);
  return { ...list, records, byId };
}

/** Finds renumbered records that one of the builds does not have, and two that have one new id. */
export function findWrongRenames(
  before: BuildProfile | undefined,
  after: BuildProfile,
  { folder, renamed }: CompiledBuild['source'],
): Finding[] {
  return Object.entries(renamed).flatMap(([collection, renames]) => {
    const [earlier, later] = [before?.lists.get(collection)?.byId, after.lists.get(collection)?.byId];
    const taken = new Set<string>();
    return Object.entries(renames).flatMap(([from, to]): Finding[] => {
      const problem = findProblem(from, to, earlier, later, taken);
      taken.add(to);
      if (problem === undefined) return [];
      const place = { file: `${folder}/build.json`, pointer: pointerTo('/renamed', collection, from) };
      return [{ check: 'renamed', severity: 'error', place, ...problem }];
    });
  });
}

type ById = ReadonlyMap<string, JsonObject> | undefined;

function findProblem(
  from: string,
  to: string,
  earlier: ById,
  later: ById,
  taken: ReadonlySet<string>,
): Pick<Finding, 'found' | 'expected' | 'fix'> | undefined {
  const near = (id: string, ids: ById) => {
    const known = [...(ids?.keys() ?? [])];
    return known.length > 0 ? { fix: `did you mean "${closest(id, known)}"?` } : {};
  };
  if (!earlier?.has(from))
    return {
      found: `no record "${from}" in the build before`,
      expected: 'its old id',
      ...near(from, earlier),
    };
  if (!later?.has(to))
    return { found: `no record "${to}" in this build`, expected: 'its new id', ...near(to, later) };
  return taken.has(to) ? { found: `a second record with the new id "${to}"`, expected: 'one' } : undefined;
}

import type { CompiledBuild } from '../compile/compile-build.ts';
import { errorAt, type Finding, placeBelow } from '../findings.ts';
import { isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { nameSome, suggestFix } from '../text.ts';
import type { CheckedFinding } from './data.ts';
import type { List, Survey } from './survey.ts';

// Checks of the statements of a build.json about its records: changed ids ("renamed"), and datasets of the previous build ("carried").

type Renames = Readonly<Record<string, string>>;

/** Returns the survey of the previous build with the ids of the build that renumbered its records. */
export function renumberSurvey(before: Survey, { renamed }: CompiledBuild['source']): Survey {
  if (Object.keys(renamed).length === 0) return before;
  const lists = [...before.lists].map(([key, list]): [string, List] => {
    const renames = ownValue(renamed, key);
    return [key, renames && list.byId ? renumberList(list, renames) : list];
  });
  return { ...before, lists: new Map(lists) };
}

function renumberList(list: List, renames: Renames): List {
  const isRenamed = ({ id }: JsonObject) => Object.hasOwn(renames, String(id));
  const records = list.records.map((record) =>
    isRenamed(record) ? { ...record, id: ownValue(renames, String(record.id)) ?? '' } : record,
  );
  // If a renumbered record has the id of another one, that id means the renumbered one.
  const last = records.filter((_, at) => isRenamed(list.records[at] ?? {}));
  return {
    ...list,
    records,
    byId: new Map([...records, ...last].map((record) => [String(record.id), record])),
  };
}

/** Finds wrong entries of `renamed`. The ids in these lists are then wrong as well. */
export function findWrongRenames(
  before: Survey | undefined,
  after: Survey,
  { renamed, renamedAt }: CompiledBuild['source'],
): CheckedFinding[] {
  return Object.entries(renamed).flatMap(([collection, renames]) => {
    const at = (steps: string[], found: string, expected: string, fix?: string): CheckedFinding[] => {
      const place = placeBelow(renamedAt, collection, ...steps);
      return [{ of: collection, causes: [collection], ...errorAt('renamed', place, found, expected, fix) }];
    };
    if (before === undefined) {
      const expected = '"renamed" in a build that has one before it';
      return at([], 'renumbered records in the first build', expected, 'remove it');
    }
    const [earlier, later] = [before, after].map(({ lists }) => lists.get(collection)?.byId);
    if (earlier === undefined || later === undefined) {
      const [{ lists }, where] = earlier ? [after, 'this build'] : [before, 'the build before'];
      const others = [...lists.values()].flatMap(({ list, byId }) => (byId ? [list] : []));
      const found = `"${collection}", which is no list of records with ids in ${where}`;
      const { fix } = suggestFix(collection, others);
      return at([], found, `one whose records have ids: ${others.join(', ')}`, fix);
    }
    const taken = new Set<string>();
    return Object.entries(renames).flatMap(([from, to]) => {
      if (taken.has(to)) return at([from], `a second record with the new id "${to}"`, 'one');
      taken.add(to);
      const unknown = (id: string, ids: ReadonlyMap<string, unknown>, where: string, expected: string) =>
        ids.has(id)
          ? []
          : at([from], `no record "${id}" in ${where}`, expected, suggestFix(id, ids.keys()).fix);
      const lost = unknown(from, earlier, 'the build before', 'its old id');
      return lost.length > 0 ? lost : unknown(to, later, 'this build', 'its new id');
    });
  });
}

/**
 * Whether a build can keep the previous version of a dataset, or leave a new one out: the roster does not refer to it; or the dataset only lost something,
 * and the roster names no new record of it.
 */
export function canCarry(
  { check, of }: Pick<CheckedFinding, 'check' | 'of'>,
  before: Survey,
  after: Survey,
): boolean {
  const [list = ''] = of.split('.');
  const isLoss = /(?:lost|gone)$/.test(check);
  const earlier = before.lists.get(list);
  const dataset = earlier ?? after.lists.get(list);
  const roster = after.lists.get('characters');
  if (list === 'characters' || dataset === undefined || roster === undefined) return false;
  return findReferences(roster, dataset, before).every(
    ({ missing, missingBefore }) => missingBefore > 0 || (earlier && isLoss && missing.length === 0),
  );
}

/** Finds carried datasets that lack a record to which what is not carried refers. */
export function findWrongCarried(build: CompiledBuild, { lists }: Survey, before?: Survey): Finding[] {
  const { source, carriedFrom = {} } = build;
  return Object.keys(carriedFrom).flatMap((key): Finding[] => {
    const dataset = lists.get(key);
    if (dataset === undefined) return [];
    const place = { file: `${source.folder}/build.json`, pointer: pointerTo('/carried', key) };
    const others = [...lists.values()].filter(({ list }) => !Object.hasOwn(carriedFrom, list));
    return others.flatMap((list) =>
      findReferences(list, dataset, before).flatMap(({ key: attribute, missing }) => {
        if (missing.length === 0) return [];
        const found = `"${attribute}" of ${list.list} with ids that the carried dataset "${key}" lacks: ${nameSome(missing)}`;
        const expected = 'a carried dataset with all records that others name';
        return errorAt('build-definition', place, found, expected, `remove "${key}" from "carried"`);
      }),
    );
  });
}

/**
 * The attributes of a list whose texts are nearly always ids of a dataset, and the texts that are not. `missingBefore`: how many were not in the build
 * before; such attributes are numbers that look like ids, or no fault of this build.
 */
function findReferences({ list, records }: List, { byId }: List, before: Survey | undefined) {
  const known = findTexts(before?.lists.get(list)?.records ?? [], byId);
  return [...findTexts(records, byId).values()]
    .filter(({ hits, texts }) => hits >= 3 && hits >= texts * 0.8)
    .map(({ key, missing }) => {
      const earlier = known.get(key)?.missing ?? new Set();
      return { key, missing: [...missing].filter((text) => !earlier.has(text)), missingBefore: earlier.size };
    });
}

/** Counts the texts of records by attribute, and those that are ids. */
function findTexts(records: List['records'], byId: List['byId']) {
  const references = new Map<string, { key: string; hits: number; texts: number; missing: Set<string> }>();
  const visit = (key: string, value: Json): void => {
    if (Array.isArray(value)) for (const element of value) visit(key, element);
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) visit(key ? `${key}.${name}` : name, inner);
    else if (typeof value === 'string' && value !== '' && key !== 'id') {
      const reference = references.get(key) ?? { key, hits: 0, texts: 0, missing: new Set() };
      references.set(key, reference);
      reference.texts++;
      if (byId?.has(value)) reference.hits++;
      else reference.missing.add(value);
    }
  };
  visit('', records as Json);
  return references;
}

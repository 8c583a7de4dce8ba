import type { BuildDiff, ChangedRecord } from '../../diff/diff-builds.ts';
import { eachAttribute, type JsonObject, ownValue } from '../../format/dist-format.ts';
import type { BuildCollections, Collection } from './collections.ts';
import { countOf } from '../../lib/count-of.ts';

/** A record that is worth reading. */
export interface Sample {
  collection: string;
  /** Its id and name; the key of a dataset that is one object. */
  title: string;
  /** Why it was chosen. */
  reason: string;
  /** Where the gateway serves it; undefined for a record without an id. */
  address: string | undefined;
  /** The record as the gateway serves it. */
  record: JsonObject;
}

/** How many missing attributes are named. */
const MAX_NAMED = 5;

/** Chooses of each collection its first record, the one that changed most, and the one that lacks most attributes. */
export function chooseSamples(
  game: string,
  { lists }: BuildCollections,
  diff: BuildDiff | undefined,
): Sample[] {
  return [...lists.values()].flatMap((list) => {
    const chosen = new Map<JsonObject, string[]>();
    const choose = (record: JsonObject | undefined, reason: string) => {
      if (record) chosen.set(record, [...(chosen.get(record) ?? []), reason]);
    };
    choose(list.records[0], list.kind === 'list' ? 'the first' : 'all of it');
    const changed = diff && findMostChanged(diff, list);
    if (changed)
      choose(
        list.records.find(({ id }) => id === changed.id),
        `changed most: ${countOf(changed.changes.length, 'change')}`,
      );
    const lacking = list.kind === 'list' ? findMostLacking(list) : undefined;
    if (lacking) choose(lacking.record, `lacks most: ${nameFew(lacking.missing)}`);
    return [...chosen].map(([record, reasons]) => describe(game, list, record, reasons.join('; ')));
  });
}

function findMostChanged(
  { characters, datasets }: BuildDiff,
  { list }: Collection,
): ChangedRecord | undefined {
  const diff = list === 'characters' ? characters : ownValue(datasets, list);
  const changed = diff && 'changed' in diff ? diff.changed : [];
  return changed.reduce<ChangedRecord | undefined>(
    (most, record) => (most && most.changes.length >= record.changes.length ? most : record),
    undefined,
  );
}

/** The record without most of the attributes that others have; undefined if all have all. */
function findMostLacking({ records }: Collection): { record: JsonObject; missing: string[] } | undefined {
  const present = records.map((record) => {
    const keys = new Set<string>();
    eachAttribute(record, (key, value) => {
      if (value !== null && value !== '') keys.add(key);
    });
    return keys;
  });
  const all = new Set(present.flatMap((keys) => [...keys]));
  const fewest = present.reduce(
    (best, keys, index) => (keys.size < (present[best]?.size ?? 0) ? index : best),
    0,
  );
  const record = records[fewest];
  const missing = [...all].filter((key) => !present[fewest]?.has(key));
  return record === undefined || missing.length === 0 ? undefined : { record, missing };
}

function nameFew(keys: readonly string[]): string {
  const more = keys.length - MAX_NAMED;
  return `${keys.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function describe(game: string, { list, kind }: Collection, record: JsonObject, reason: string): Sample {
  const { id, name } = record;
  const hasId = kind === 'list' && typeof id === 'string';
  const path = `/api/${game}/${encodeURIComponent(list)}`;
  return {
    collection: list,
    title: hasId ? `${id}${typeof name === 'string' ? ` ${name}` : ''}` : list,
    reason,
    address: kind === 'object' ? path : hasId ? `${path}/${encodeURIComponent(id)}` : undefined,
    record,
  };
}

import { eachAttribute, isObject, type Json, type JsonObject, ownValue } from '../format/dist-format.ts';
import { equalKinds } from '../check/kinds.ts';
import type { Limits } from './rule.ts';
import { isEmpty } from './profile/attribute-profile.ts';
import type { ListProfile } from './profile/profile.ts';

/** What may be chance: the limits of the gates `field-vanished` and `field-emptied`. */
export interface FieldLimits {
  vanished: Limits<'min_lost_records'>;
  emptied: Limits<'min_lost_share' | 'min_lost_records'>;
}

/** An attribute that few records had is a pattern if all had it, but one record alone is none. */
const MIN_LOST_RECORDS_OF_ALL = 2;

/**
 * How an attribute changed in the records that both builds have. `kind`: it has another kind; `vanished`: no record of
 * the later build has it; `emptied`: it is empty in nearly all records; `thinned`: it is empty in some records.
 */
export interface FieldChange {
  /** The dotted key. */
  key: string;
  change: 'kind' | 'vanished' | 'emptied' | 'thinned';
  /** How many records of both builds had it, and not empty. */
  had: number;
  /** The ids of those of them where it is empty now; their positions if the list has no ids. */
  lost: readonly string[];
}

/**
 * Finds the attributes that changed in one of these ways. An attribute inside another that changed its kind, vanished or was emptied is not
 * listed.
 */
export function findFieldChanges(
  before: ListProfile,
  after: ListProfile,
  pairs: readonly RecordPair[],
  limits: FieldLimits,
): FieldChange[] {
  const isSame = ([, earlier, later]: RecordPair) => earlier === later;
  const same = pairs.filter(isSame);
  const losses = countLosses(pairs.filter((pair) => !isSame(pair)));
  const gone = new Set<string>();
  const changes: FieldChange[] = [];
  for (const [key, { path, kind }] of before.attributes) {
    const parent = path.slice(0, -1).join('.');
    if (gone.has(parent)) {
      gone.add(key);
      continue;
    }
    const { had: hadOfChanged, lost } = losses.get(key) ?? { had: 0, lost: [] };
    const later = after.attributes.get(key);
    const otherKind = kind !== undefined && later?.kind !== undefined && !equalKinds(kind, later.kind);
    if (!otherKind && lost.length === 0) continue;
    const had = hadOfChanged + countFilled(same, path);
    const change = otherKind
      ? 'kind'
      : judgeLoss(
          {
            had,
            lost: lost.length,
            shared: pairs.length,
            object: after.kind === 'object',
            present: later !== undefined,
            filled: later?.filled ?? 0,
          },
          limits,
        );
    if (change === undefined) continue;
    if (change !== 'thinned') gone.add(key);
    changes.push({ key, change, had, lost });
  }
  return changes;
}

interface Loss {
  /** How many records of both builds had it, and not empty. */
  had: number;
  /** How many of these lost it. */
  lost: number;
  /** How many records both builds have. */
  shared: number;
  /** Whether it is an attribute of a dataset that is one object. */
  object: boolean;
  /** Whether any record of the later build has the attribute, empty or not. */
  present: boolean;
  /** How many records of the later build have it, and not empty. */
  filled: number;
}

function judgeLoss(
  { had, lost, shared, object, present, filled }: Loss,
  { vanished, emptied }: FieldLimits,
): FieldChange['change'] | undefined {
  if (lost === 0) return undefined;
  // An object is written by hand: a number that is now zero, or a list that is now empty, is intended.
  if (object) return present ? undefined : 'vanished';
  const ofAll = had === shared && shared >= MIN_LOST_RECORDS_OF_ALL;
  if (!present && (ofAll || had >= vanished.min_lost_records)) return 'vanished';
  const pattern = ofAll || had >= emptied.min_lost_records;
  // An attribute of a minority (as "new" or "available now") may move to other records.
  const usual = had >= shared / 2 || filled === 0;
  return pattern && usual && lost >= had * emptied.min_lost_share ? 'emptied' : 'thinned';
}

/** A record that both builds have: its id or its position, and both versions. */
export type RecordPair = [name: string, before: JsonObject, after: JsonObject];

/**
 * The records that both builds have, matched by id; in a list without ids, by an attribute that is a key, or else by position. A pair whose later
 * record is empty is left out.
 */
export function pairRecords(before: ListProfile, after: ListProfile): RecordPair[] {
  if (before.byId && after.byId) return pairById(before.byId, after.byId);
  const key = findKey(before.records, after.records);
  if (key !== undefined) return pairById(indexBy(key, before.records), indexBy(key, after.records));
  return before.records.flatMap((record, position): RecordPair[] => {
    const later = after.records[position];
    return later && !isEmpty(later) ? [[nameOf(record, position), record, later]] : [];
  });
}

function pairById(
  before: ReadonlyMap<string, JsonObject>,
  after: ReadonlyMap<string, JsonObject>,
): RecordPair[] {
  return [...before].flatMap(([id, record]): RecordPair[] => {
    const later = after.get(id);
    return later && !isEmpty(later) ? [[id, record, later]] : [];
  });
}

function nameOf({ id }: JsonObject, position: number): string {
  return typeof id === 'string' ? id : String(position);
}

const keyName = /(?:^|_)(?:id|key|no)$|I[dD]$/;

/** The first attribute with the name of a key that no two records of a build share. */
function findKey(before: readonly JsonObject[], after: readonly JsonObject[]): string | undefined {
  const names = Object.keys(before[0] ?? {}).filter((name) => keyName.test(name));
  return names.find((name) => isUnique(name, before) && isUnique(name, after));
}

function isUnique(name: string, records: readonly JsonObject[]): boolean {
  const values = new Set<Json>();
  for (const { [name]: value } of records) {
    if ((typeof value !== 'string' && typeof value !== 'number') || values.has(value)) return false;
    values.add(value);
  }
  return true;
}

function indexBy(name: string, records: readonly JsonObject[]): Map<string, JsonObject> {
  return new Map(records.map((record) => [String(ownValue(record, name)), record]));
}

/** The change without values that became zero, if zero is a usual value of the attribute. */
export function withoutZeros(
  before: ListProfile,
  pairs: readonly RecordPair[],
  change: FieldChange,
): FieldChange {
  const path = before.attributes.get(change.key)?.path ?? [];
  if (!before.records.some((record) => valueAt(record, path) === 0)) return change;
  const zero = new Set(pairs.flatMap(([name, , after]) => (valueAt(after, path) === 0 ? [name] : [])));
  return { ...change, lost: change.lost.filter((name) => !zero.has(name)) };
}

/** The values at a path in all rows of the outermost list on it; undefined if there is no list. */
export function rowsAt(record: JsonObject, path: readonly string[]): (Json | undefined)[] | undefined {
  let value: Json | undefined = record;
  for (const [at, name] of path.entries()) {
    if (!isObject(value)) return undefined;
    value = ownValue(value, name);
    if (!Array.isArray(value)) continue;
    const inside = path.slice(at + 1);
    return value.map((row) => (isObject(row) ? valueAt(row, inside) : undefined));
  }
  return undefined;
}

/** How many records have a value at a path that is not empty. */
function countFilled(pairs: readonly RecordPair[], path: readonly string[]): number {
  return pairs.filter(([, record]) => !isEmpty(valueAt(record, path))).length;
}

function countLosses(pairs: readonly RecordPair[]): Map<string, { had: number; lost: string[] }> {
  const losses = new Map<string, { had: number; lost: string[] }>();
  for (const [name, before, after] of pairs) {
    eachAttribute(before, (key, value, path) => {
      if (isEmpty(value)) return;
      let loss = losses.get(key);
      if (loss === undefined) {
        loss = { had: 0, lost: [] };
        losses.set(key, loss);
      }
      loss.had++;
      if (isEmpty(valueAt(after, path))) loss.lost.push(name);
    });
  }
  return losses;
}

/** The value at a path of attribute names; undefined if it does not exist. */
export function valueAt(record: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

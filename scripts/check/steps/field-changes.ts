import { eachAttribute, isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { equalKinds } from '../kinds.ts';
import { isEmpty, type ListProfile } from './profile.ts';
import { FEWEST, FEWEST_OF_ALL, NEARLY_ALL } from './thresholds.ts';

/**
 * What became of an attribute in the records that both builds have. `kind`: it is of another kind; `vanished`: no record of
 * the later build has it; `emptied`: in nearly all records it is empty; `thinned`: in some records it is empty.
 */
export interface FieldChange {
  /** The dotted key. */
  key: string;
  change: 'kind' | 'vanished' | 'emptied' | 'thinned';
  /** Records in both builds where it was not empty. */
  had: number;
  /** Ids of those of them where it is empty now; positions where there are no ids. */
  lost: readonly string[];
}

/** Finds the attributes that are not what they were. Of an attribute in one that changed its kind, vanished or was emptied nothing is said. */
export function findFieldChanges(before: ListProfile, after: ListProfile): FieldChange[] {
  const pairs = pairRecords(before, after);
  const losses = countLosses(pairs);
  const gone = new Set<string>();
  const changes: FieldChange[] = [];
  for (const [key, { path, kind }] of before.attributes) {
    const parent = path.slice(0, -1).join('.');
    if (gone.has(parent)) {
      gone.add(key);
      continue;
    }
    const { had, lost } = losses.get(key) ?? { had: 0, lost: [] };
    const later = after.attributes.get(key);
    const otherKind = kind !== undefined && later?.kind !== undefined && !equalKinds(kind, later.kind);
    const change = otherKind
      ? 'kind'
      : judgeLoss({
          had,
          lost: lost.length,
          shared: pairs.length,
          object: after.kind === 'object',
          present: later !== undefined,
          filled: later?.filled ?? 0,
        });
    if (change === undefined) continue;
    if (change !== 'thinned') gone.add(key);
    changes.push({ key, change, had, lost });
  }
  return changes;
}

interface Loss {
  /** Records in both builds that had it, those of them that lost it, and all records in both. */
  had: number;
  lost: number;
  shared: number;
  object: boolean;
  /** Whether any record of the later build has the attribute, empty or not. */
  present: boolean;
  /** Records of the later build that have it, and not empty. */
  filled: number;
}

function judgeLoss({ had, lost, shared, object, present, filled }: Loss): FieldChange['change'] | undefined {
  if (lost === 0) return undefined;
  // An object is written by hand: a number that is now zero, or a list that is now empty, is meant.
  if (object) return present ? undefined : 'vanished';
  const pattern = had >= FEWEST || (had === shared && shared >= FEWEST_OF_ALL);
  if (pattern && !present) return 'vanished';
  // What only some records have may move on to others (what is new, what is on now).
  const usual = had >= shared / 2 || filled === 0;
  return pattern && usual && lost >= had * NEARLY_ALL ? 'emptied' : 'thinned';
}

type Pair = [name: string, before: JsonObject, after: JsonObject];

/** The records that both builds have, and the later one not empty: those of one id, or of one position where there are no ids. */
function pairRecords(before: ListProfile, after: ListProfile): Pair[] {
  const pairs: Pair[] = [];
  for (const [position, record] of before.records.entries()) {
    const later = before.byId && after.byId ? after.byId.get(record.id as string) : after.records[position];
    if (later && !isEmpty(later))
      pairs.push([typeof record.id === 'string' ? record.id : String(position), record, later]);
  }
  return pairs;
}

function countLosses(pairs: readonly Pair[]): Map<string, { had: number; lost: string[] }> {
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

/** The value at the end of names, from the record inwards; undefined where there is nothing. */
export function valueAt(record: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = record;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

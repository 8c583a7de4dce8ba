import { valuesAt } from '../diff/compare.ts';
import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import { countEach, countOf, groupBy, nameSome } from '../text.ts';
import { type ChangeFinding, findingOf, type ListChange, quoteKeys } from './data.ts';
import { isEmpty, type SurveyedAttribute, valueAt } from './survey.ts';
import { isUnresolved, isWord, scriptOf, withoutLanguage } from './texts.ts';

// Reports what most new records of a list have unlike nearly all others. A patch adds some that are unfinished or of a new kind; but half of them are
// like those that were there. The shares were chosen with the real steps of the shared dumps.

/** Fewer new records may be unlike others, and fewer others do not say what is usual. */
const MIN_ADDED = 3;
const MIN_KNOWN = 10;
/** Fewer new names may be codes, whose texts come later. */
const MIN_CODES = 5;

/** Makes one finding for all attributes in which half of the new records, and at least three, are unlike others. */
function reportUnlike(
  list: ListChange,
  what: string,
  isUnlike: (record: JsonObject, field: SurveyedAttribute) => boolean,
): ChangeFinding[] {
  const { added, before, after, earlier } = list;
  const unlike = [...before.fields.values()].flatMap((field) => {
    const names = added.filter((record) => isUnlike(record, field)).map(({ id }) => String(id));
    return names.length < MIN_ADDED || names.length <= added.length / 2 ? [] : [{ key: field.key, names }];
  });
  const [first] = unlike;
  if (first === undefined) return [];
  const keys = unlike.map(({ key }) => key);
  const found = `${quoteKeys(keys)} of ${after.list} ${what} in ${first.names.length} of ${countOf(added.length, 'new record')}: ${nameSome(first.names)}`;
  return [findingOf(list, keys, found, `values such as the records of build ${earlier} have`)];
}

/** Reports numbers and categories that nearly all records have, and new ones lack. Texts and skills often come later, also those in a language. */
export const reportLacking = (list: ListChange) =>
  reportUnlike(list, 'zero, empty or absent', (record, field) => {
    const { filled, key, path, numbers, zeros, choices, isListed } = field;
    const isPlain = numbers > 0 || choices?.size || key === 'name';
    const all = list.before.records.length;
    const isUsual = isListed ? zeros <= numbers * 0.01 : filled >= all * 0.99;
    if (!isPlain || !isUsual || all < MIN_KNOWN || withoutLanguage(key) !== key) return false;
    const values = valuesAt([record], path);
    return values.every(isEmpty) && (!isListed || values.length > 0);
  });

/** The share of names in another script, as those of guests, from which on it is usual. */
const MAX_OTHER_SCRIPT = 0.05;

/** Reports new names in a script that hardly any has, but not in the game's own language; and codes where none is one. */
export function reportForeign(list: ListChange, own = ''): ChangeFinding[] {
  if (list.added.length < MIN_ADDED) return [];
  const known = list.before.records.filter(({ name }) => isWord(name));
  const scripts = new Map(countEach(known.map(({ name }) => scriptOf(name))));
  const hasCodes = list.added.length < MIN_CODES || list.before.fields.get('name')?.faults.has('unresolved');
  return reportUnlike(list, 'in another script or codes', (record, { key }) => {
    const { name, [`name_${own}`]: original } = record;
    if (key !== 'name') return false;
    if (!isWord(name))
      return /^[^\p{L}\p{N}]+$/u.test(String(name)) && known.length === list.before.records.length;
    const share = (scripts.get(scriptOf(name)) ?? 0) / known.length;
    return (share <= MAX_OTHER_SCRIPT && name !== original) || (!hasCodes && isUnresolved(String(name)));
  });
}

const MAX_AHEAD_MS = 2 * 366 * 86_400_000;

/** Reports new dates more than two years after the release or before all games, where no date is. */
export function reportAhead(list: ListChange, released: string): ChangeFinding[] {
  const isAhead = (value: Json | undefined) =>
    /^\d{4}-\d\d-\d\d/.test(String(value)) &&
    (Date.parse(String(value)) - Date.parse(released) > MAX_AHEAD_MS || String(value) < '2000');
  return reportUnlike(list, 'years away', (record, { path }) => {
    return (
      isAhead(valueAt(record, path)) && !list.before.records.some((each) => isAhead(valueAt(each, path)))
    );
  });
}

/** Numbers that do not say how much: ids, positions in an order, times and versions. */
export const NO_QUANTITY =
  /(?:^|[._])(?:ids?|order|sort|date|time|start|end|at|version|seed|color)(?:_|$)|_(?:id|at|time|date)$/;
/** A new number this many times as large as all others, or as small, is in another unit. */
const MAX_TIMES = 3;

/** Reports new numbers that are far from all others. */
export const reportFar = (list: ListChange) =>
  reportUnlike(list, 'far from all others', (record, { key, path, numbers, min, max, isListed }) => {
    const value = valueAt(record, path);
    if (typeof value !== 'number' || value <= 0 || min <= 0 || numbers < MIN_KNOWN || isListed) return false;
    return !NO_QUANTITY.test(key) && (value > max * MAX_TIMES || value < min / MAX_TIMES);
  });

/** More records than this share of a list, and than a few, are not there twice by chance. */
const MIN_TWIN_SHARE = 0.02;

const IDENTITY = /^(?:id|key|no|number|(?:name|title).*)$|_no$|_number$|image|icon/;
const isOfKind = ([key]: [string, Json]) => !IDENTITY.test(key);

/** Whether a record is a variant of another one, such as a unit in summer clothes: its name has a word more, and most of what is no number is the same. */
export function isVariant(record: JsonObject, owner: JsonObject): boolean {
  const [name, base] = [String(record.name), String(owner.name)];
  const more = name.replace(base, '');
  if (more === name || !isWord(more) || /copy|duplicate/i.test(more)) return false;
  const others = Object.entries(owner).filter((each) => isOfKind(each) && !isNumeric(each[1]));
  const same = others.filter(([key, value]) => JSON.stringify(record[key]) === JSON.stringify(value));
  return same.length >= Math.max(1, others.length * MIN_ALIKE);
}

const MIN_ALIKE = 0.6;
const isNumeric = (value: Json): boolean =>
  typeof value === 'number' || (isObject(value) && Object.values(value).every(isNumeric));

/** Reports new records that copy another one with its name, which may have a mark added. */
export function reportTwins(list: ListChange): ChangeFinding[] {
  const contentOf = (record: JsonObject) => JSON.stringify(Object.entries(record).filter(isOfKind));
  if (list.added.length < list.before.records.length * MIN_TWIN_SHARE) return [];
  const owners = new Map(groupBy(list.before.records, contentOf).map((each) => [contentOf(each[0]), each]));
  owners.delete('[]');
  const isTwin = (record: JsonObject, owner: JsonObject) =>
    typeof owner.name === 'string' && String(record.name).includes(owner.name) && !isVariant(record, owner);
  return reportUnlike(list, 'and all values those of another record', (record, { key }) =>
    Boolean(key === 'name' && owners.get(contentOf(record))?.some((owner) => isTwin(record, owner))),
  );
}

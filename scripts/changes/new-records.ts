import { valuesAt } from '../diff/compare.ts';
import type { Json, JsonObject } from '../format/dist-format.ts';
import { countOf, nameSome } from '../text.ts';
import { type ChangeFinding, findingOf, type ListChange, quoteKeys } from './data.ts';
import { isEmpty, type SurveyedAttribute, valueAt } from './survey.ts';
import { isLatin, isUnresolved, isWord, withoutLanguage } from './texts.ts';

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

/** Reports new names that are Latin where hardly any is, or the other way, but not in the game's own language; and codes where none is one. */
export function reportForeign(list: ListChange, own = ''): ChangeFinding[] {
  const known = list.before.records.filter(({ name }) => isWord(name));
  const latin = known.filter(({ name }) => isLatin(name)).length / known.length;
  const hasCodes = list.added.length < MIN_CODES || list.before.fields.get('name')?.faults.has('unresolved');
  return reportUnlike(list, 'in another script or codes', (record, { key }) => {
    const { name, [`name_${own}`]: original } = record;
    if (key !== 'name' || !isWord(name)) return false;
    const share = isLatin(name) ? latin : 1 - latin;
    return (share <= MAX_OTHER_SCRIPT && name !== original) || (!hasCodes && isUnresolved(String(name)));
  });
}

const MAX_AHEAD_MS = 2 * 366 * 86_400_000;

/** Reports new dates more than two years after the release, where no date is. */
export function reportAhead(list: ListChange, released: string): ChangeFinding[] {
  const isAhead = (value: Json | undefined) =>
    /^\d{4}-\d\d-\d\d/.test(String(value)) && Date.parse(String(value)) - Date.parse(released) > MAX_AHEAD_MS;
  return reportUnlike(list, 'years ahead', (record, { path }) => {
    return (
      isAhead(valueAt(record, path)) && !list.before.records.some((each) => isAhead(valueAt(each, path)))
    );
  });
}

/** Reports new records with everything of another one, and its name, perhaps with a mark; with a word and a key of its own it is a variant. */
export function reportTwins(list: ListChange): ChangeFinding[] {
  const contentOf = (record: JsonObject) =>
    JSON.stringify(
      Object.entries(record).filter(([key]) => !/^(?:id|key|(?:name|title).*)$|image|icon/.test(key)),
    );
  const owners = new Map(list.before.records.map((record) => [contentOf(record), record]));
  return reportUnlike(list, 'and all values those of another record', (record, { key }) => {
    const content = contentOf(record);
    const owner = key === 'name' && content !== '[]' ? owners.get(content) : undefined;
    if (typeof owner?.name !== 'string' || !String(record.name).includes(owner.name)) return false;
    return record.key === owner.key || !isWord(String(record.name).replace(owner.name, ''));
  });
}

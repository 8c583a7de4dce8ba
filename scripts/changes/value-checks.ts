import { distance } from 'fastest-levenshtein';
import { describeKind, equalKinds, recordError } from '../check/rules.ts';
import { valuesAt } from '../diff/compare.ts';
import { quoteValue } from '../findings.ts';
import type { Scalar } from '../format/attributes.ts';
import { isObject, type JsonObject } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { countEach, countOf, groupBy, nameSome } from '../text.ts';
import {
  type BuildData,
  type ChangeCheck,
  type ChangedValue,
  type ChangeFinding,
  type ChangeStats,
  carryRecords,
  findingOf,
  type ListChange,
  lostOf,
  MAX_CHANGED_SHARE,
  NEARLY_ALL,
  quoteKeys,
} from './data.ts';
import {
  isVariant,
  NO_QUANTITY,
  reportAhead,
  reportFar,
  reportForeign,
  reportLacking,
  reportTwins,
} from './new-records.ts';
import { isOfPatch } from './patches.ts';
import { COST, type Pattern } from './patterns.ts';
import { type SurveyedAttribute, valueAt } from './survey.ts';
import { isName, isUnresolved, withoutLanguage } from './texts.ts';

// Checks of attributes whose values changed or disappeared in many records; then of names and numbers that changed in few.

/** The loss of some records: values of an attribute, or rows of a list. */
interface Loss {
  key: string;
  had: number;
  /** The names of the records. */
  lost: readonly string[];
  isShorter: boolean;
}

/** Fewer records may lack or change a value by chance. */
const MIN_OF_MANY = 5;
/** In fewer records, or in a smaller share of them, lists may become one value for all levels. */
const MIN_FLAT = 3;
const MIN_FLAT_SHARE = 0.02;
/** A patch shortens some lists of rows, as when a skill loses a level; fewer of characters. */
const MAX_SHORTENED_SHARE = 0.08;
const MAX_SHORTENED_CHARACTERS = 0.03;
const MAX_SHORTENED = 50;

const valuesLostCheck: ChangeCheck = {
  name: 'values-lost',
  description:
    'No attribute is zero, empty or absent in many records that had it, nor a number or category in most new records, and no list of rows is shorter.',
  thresholds: { max_lost_share: { default: 0.03, help: 'the share of records that may lose a value' } },
  check: ({ changes }, limit) =>
    changes.flatMap((list): ChangeFinding[] => {
      const { after, earlier, pairs } = list;
      const isReported = ({ key, had, lost, isShorter }: Loss) => {
        // An object is written by hand: a number that is now zero is intended.
        if (after.kind === 'object') return !after.attributes.has(key) && !isShorter;
        const shortened = after.list === 'characters' ? MAX_SHORTENED_CHARACTERS : MAX_SHORTENED_SHARE;
        const most = isShorter ? Math.min(had * shortened, MAX_SHORTENED) : had * limit('max_lost_share');
        const { filled = 0 } = after.fields.get(key) ?? {};
        // A value of few records, such as "new", may move to other records.
        const isUsual = isName(key) || had >= pairs.length / 2 || filled === 0;
        const isOfMany = had >= MIN_OF_MANY || (had === pairs.length && had > 1);
        return isUsual && (lost.length === had ? isOfMany : lost.length >= 3 && lost.length > most);
      };
      const losses = list.columns.flatMap((column) => lossesIn(list, column, changes)).filter(isReported);
      const reported = groupBy(losses, ({ lost }) => lost.join('\0')).map((group) => {
        const [{ lost, had }] = group;
        const keys = group.map(({ key }) => key);
        const where = `in ${lost.length} of ${countOf(had, 'record')} of ${after.list}: ${nameSome(lost)}`;
        const found = `${quoteKeys(keys)} zero, empty, absent or shorter ${where}`;
        const changed = { attributes: keys, count: lost.length, all: had };
        const more = { changed, ...carryRecords(after, lost) };
        return findingOf(list, keys, found, `values, as in build ${earlier}`, more);
      });
      return [...reported, ...reportLacking(list)];
    }),
};

function lossesIn(list: ListChange, column: ChangeStats, changes: BuildData['changes']): Loss[] {
  const { key, had, lists, hasRows } = column;
  const { before, pairs, patterns } = list;
  if (patterns.has(key)) return [];
  const isListed = before.fields.get(key)?.isListed ?? false;
  const nameOf = (at: number) => pairs[at]?.[0] ?? '';
  const lost = lostOf(column, before).filter((at) =>
    isListed ? hasFewerRows(list, key, at) : !isCopy(list, key, at),
  );
  const shortened = column.shortened.filter((at) => !isOfGone(list, key, at, changes));
  const isShorter = shortened.length > (hasRows || isCut(column) ? 0 : lists / 2);
  const shorter = [...new Set(shortened)];
  // A record may have several lists, such as one for each skill.
  const records = Math.round((lists * shorter.length) / shortened.length);
  return [
    ...(lost.length > 0 ? [{ key, had, lost: lost.map(nameOf), isShorter: false }] : []),
    ...(isShorter ? [{ key, had: records, lost: shorter.map(nameOf), isShorter }] : []),
  ];
}

/** Whether a list lacks only records that the game no longer has. */
function isOfGone({ pairs }: ListChange, key: string, at: number, changes: BuildData['changes']): boolean {
  const idsIn = (record: JsonObject = {}) =>
    valuesAt([record], key.split('.')).map((each) => String(isObject(each) ? each.id : each));
  const [before, after] = [idsIn(pairs[at]?.[1]), idsIn(pairs[at]?.[2])];
  const lost = before.filter((each) => !after.includes(each));
  const isGone = (id: string) =>
    changes.some((each) => each.before.byId?.has(id) && !each.after.byId?.has(id));
  return lost.length === before.length - after.length && lost.every(isGone);
}

/** Whether lists of several lengths end at the same one now. */
function isCut({ wholes }: ChangeStats): boolean {
  const cut = wholes.filter(({ before, after }) => String(before).startsWith(String(after).slice(0, -1)));
  const lengthsOf = (of: 'before' | 'after') =>
    countEach(cut.map((each) => JSON.parse(`${each[of] || '[]'}`).length));
  const [[, most] = [0, 0]] = lengthsOf('after');
  return lengthsOf('before').length > 1 && most >= Math.max(MIN_OF_MANY, cut.length * NEARLY_ALL);
}

/** Whether a list has fewer rows with an attribute: if only the order changed, other rows have it. */
function hasFewerRows({ pairs }: ListChange, key: string, at: number): boolean {
  const [, before = {}, after = {}] = pairs[at] ?? [];
  const count = (record: JsonObject) =>
    valuesAt([record], key.split('.')).filter((value) => value !== null && value !== '').length;
  return count(after) < count(before);
}

/** Whether a name in a language was only a copy of the name without a language, which the record still has. */
function isCopy({ pairs }: ListChange, key: string, at: number): boolean {
  const { name, [key]: text } = pairs[at]?.[1] ?? {};
  return key !== 'name' && withoutLanguage(key) === 'name' && text === name;
}

const fieldKindsCheck: ChangeCheck = {
  name: 'field-kinds',
  description: 'An attribute keeps its kind: number, text, boolean, object or a list of one of them.',
  check: ({ changes }) =>
    changes.flatMap((list) =>
      [...list.before.fields.values()].flatMap((field): ChangeFinding[] => {
        const { after, compiled, earlier } = list;
        const { key, kind } = field;
        const later = after.fields.get(key);
        if (!kind || !later?.kind || equalKinds(kind, later.kind)) return [];
        const found = describeKind(later.kind);
        const expected = `${describeKind(kind)}, as "${key}" was in build ${earlier}`;
        const record = compiled[later.first];
        const pointer = later.isListed ? '' : pointerTo('', ...later.path);
        const place = record && recordError(record, pointer, found, expected);
        delete place?.record;
        return [findingOf(list, [key], `${found} at "${key}" of ${after.list}`, expected, place)];
      }),
    ),
};

const valuesChangedCheck: ChangeCheck = {
  name: 'values-changed',
  description:
    'The values of an attribute do not all change in the same way, or in most records, and no list has elements twice or one for all.',
  thresholds: {
    max_changed_share: {
      default: MAX_CHANGED_SHARE,
      help: 'the share of values that may change; a tenth of it for 20 numbers or more that all fall',
    },
  },
  check: (data) => [...reportPatterns(data, false), ...data.changes.flatMap(reportFilled)],
};

const valuesMovedCheck: ChangeCheck = {
  name: 'values-moved',
  description: 'Values do not move from records to other records, or between attributes.',
  check: (data) => reportPatterns(data, true),
};

/** Makes one finding for all attributes of a list that share a change. */
function reportPatterns({ changes }: BuildData, isMove: boolean): ChangeFinding[] {
  return changes.flatMap((list) => {
    const found = list.columns.flatMap((column) => {
      const pattern = list.patterns.get(column.key);
      return pattern && (pattern.isMove ?? false) === isMove ? [{ column, pattern }] : [];
    });
    return groupBy(found, ({ pattern }) => pattern.what).map((some) => {
      const [{ column, pattern }] = some;
      const { what, count, factor, value } = pattern;
      const more = { ...(factor !== undefined && { factor }), ...(value !== undefined && { value }) };
      const columns = some.map((each) => each.column);
      return reportChanged(list, columns, what, count, Math.max(column.both, count), more, pattern);
    });
  });
}

/** Describes in how many values of some attributes a change happened, with an example from the first. */
function reportChanged(
  list: ListChange,
  columns: readonly ChangeStats[],
  what: string,
  count: number,
  all: number,
  more: object = {},
  pattern?: Pattern,
): ChangeFinding {
  const keys = columns.map(({ key }) => key);
  const { key = '', changed = [] } = columns[0] ?? {};
  const first = changed.find((change) => pattern?.isExample(change)) ?? changed[0];
  const [name = ''] = list.pairs[first?.record ?? 0] ?? [];
  const example = first
    ? `: "${key}" of "${name}" was ${quoteValue(first.before)} and is ${quoteValue(first.after)}`
    : '';
  const found = `${quoteKeys(keys)} of ${list.after.list} ${what} in ${count} of ${all} values${example}`;
  const expected = `the values of build ${list.earlier}, except for edits of single records`;
  const records = columns.flatMap((column) => [...column.changed, ...column.wholes]);
  const ids = records.map(({ record }) => list.pairs[record]?.[0]);
  const carry = carryRecords(list.after, [...new Set(ids)]);
  return findingOf(list, keys, found, expected, {
    changed: { attributes: keys, count, all, ...more },
    ...carry,
  });
}

/** Reports attributes that had no value in many records and have zero in all of them now, and lists with elements twice or one for all. */
function reportFilled(list: ListChange): ChangeFinding[] {
  return list.columns.flatMap(({ changed: _, ...stats }): ChangeFinding[] => {
    const column = { ...stats, changed: [] };
    const { key, came, both, had, lists, doubled, flat } = column;
    const zeros = came.filter(({ after }) => after === 0).length;
    const field = list.before.fields.get(key);
    const isFilled = zeros >= MIN_OF_MANY && zeros >= came.length * NEARLY_ALL;
    if (isFilled && field && field.numbers > 0 && field.zeros === 0)
      return [reportChanged(list, [column], 'are zero where they had no value', zeros, both + came.length)];
    if (flat.size >= MIN_FLAT && flat.size > had * MIN_FLAT_SHARE) {
      const finding = reportChanged(list, [column], 'have one element for all', flat.size, had);
      const names = [...flat].map((record) => list.pairs[record]?.[0]);
      return [{ ...finding, ...carryRecords(list.after, names) }];
    }
    if (doubled.length < MIN_OF_MANY || doubled.length <= lists * 0.02) return [];
    return [reportChanged(list, [column], 'have elements twice', doubled.length, lists)];
  });
}

/** If a smaller share of records changes category, they were edited. If fewer records get a value that none had, the game added it. */
const MAX_EDITED_SHARE = 0.1;
/** A game hardly ever changes what characters are, and how rare anything is. */
const MAX_EDITED_CHARACTERS = 0.05;
const RARITY = /rarity$|^tier$/;
const MIN_NEW = 4;
const MAX_NEW = 20;

const categoriesChangedCheck: ChangeCheck = {
  name: 'categories-changed',
  description:
    'Few records change an attribute with few different values, such as an element, or get a value of it that none had.',
  check: ({ changes }) =>
    changes.flatMap((list) => {
      const found = list.columns.flatMap((column) => {
        const { key, changed, both, bothAt } = column;
        const field = list.before.fields.get(key);
        if (field === undefined || list.patterns.has(key) || !isCategory(field, changed)) return [];
        if (SENTENCE.test(key) || COST.test(key) || list.renamed.has(key)) return [];
        if (field.texts === 0 && isOfPatch(changed)) return [];
        const isFixed = list.after.list === 'characters' || RARITY.test(key);
        const most = isFixed && bothAt.length === 0 ? MAX_EDITED_CHARACTERS : MAX_EDITED_SHARE;
        const least = list.after.list === 'characters' && key === 'rarity' ? 0 : both * most;
        // A stat with few values is balanced to others.
        const isStat = /^stats\./.test(key);
        const all = bothAt.length === 0 ? changed : withoutReordered(changed);
        const edited = isStat ? all.filter(({ after }) => field.choices?.has(after)) : all;
        const isMany = edited.length >= MIN_OF_MANY && edited.length > least;
        const isOpen = isStat || NO_CATEGORY.test(key);
        const news = isOpen ? [] : changed.filter(({ after }) => !field.choices?.has(after));
        const isNew = news.length >= Math.max(MIN_NEW, Math.min(MAX_NEW, list.pairs.length * 0.02));
        return isMany || isNew ? [{ column: { ...column, changed: isNew ? news : changed }, isNew }] : [];
      });
      return groupBy(found, ({ isNew, column }) => `${isNew} ${column.changed.length}`).map((some) => {
        const [{ column, isNew }] = some;
        const what = isNew ? 'have values that none had' : 'changed';
        const columns = some.map((each) => each.column);
        return reportChanged(list, columns, what, column.changed.length, column.both);
      });
    }),
};

/** The values of records in which not only the order of rows changed. */
function withoutReordered(changed: readonly ChangedValue[]): ChangedValue[] {
  const listOf = (values: readonly Scalar[]) => JSON.stringify([...values].sort());
  const isEdited = (all: readonly ChangedValue[]) =>
    listOf(all.map(({ before }) => before)) !== listOf(all.map(({ after }) => after));
  const records = groupBy(changed, ({ record }) => String(record));
  return records.filter(isEdited).flat();
}

/** Attributes with texts for people, which a game may write anew. */
const SENTENCE = /(?:^|[._])(?:label|text|description|effect)s?$/;
/** Attributes with any number of values: names and ids; and tags and places, of which new records bring more. */
const NO_CATEGORY =
  /(?:^|[._])(?:ids?|name|title|key|tags?|keywords?|regions?|countr(?:y|ies)|nations?|nationality)(?:_[a-z]+)?$/;
const MAX_CATEGORIES = 30;
const MIN_CATEGORIZED = 20;
/** Longer texts are sentences, which are edited. */
const MAX_CATEGORY_LENGTH = 40;
/** More distinct numbers are stats, of which a patch may change many. */
const MAX_CODES = 6;

/** Whether an attribute has few distinct values, each in at least five records on average. */
function isCategory({ choices, numbers, texts }: SurveyedAttribute, changed: readonly ChangedValue[]) {
  if (changed.length > 0 && changed.every(({ before }) => typeof before === 'boolean')) return true;
  if (choices === undefined || choices.size === 0 || changed.length === 0) return false;
  // A column that was empty is filled.
  if ([...choices].every((choice) => choice === '')) return false;
  if ([...choices].some((choice) => String(choice).length > MAX_CATEGORY_LENGTH)) return false;
  const isCode = choices.size <= MAX_CODES && [...choices].every(Number.isInteger);
  const most = texts > 0 || isCode ? MAX_CATEGORIES : 0;
  return choices.size <= most && numbers + texts >= Math.max(MIN_CATEGORIZED, choices.size * MIN_OF_MANY);
}

/** The share of names that may change: translations are corrected. */
const MAX_RENAMED_SHARE = 0.1;

const namesChangedCheck: ChangeCheck = {
  name: 'names-changed',
  description:
    'Most records of a list keep their names, none gets the name or title of another, and most new names are in the same script and no codes.',
  check: ({ changes, build }) =>
    changes.flatMap((list): ChangeFinding[] => [
      ...reportForeign(list, build.source.played_in),
      ...list.columns.flatMap((column): ChangeFinding[] => {
        const { key, both } = column;
        const isTitle = /^title(?:_[^.]+)?$/.test(key);
        if (list.after.kind === 'object' || !(isName(key) || isTitle) || list.patterns.has(key)) return [];
        const counts = new Map(countEach(list.before.records.map((record) => record[key])));
        const idOf = ({ record }: ChangedValue) => list.pairs[record]?.[0] ?? '';
        const isKey = (value: Scalar) => isUnresolved(String(value));
        // A key or the id stood in for a name that no record had.
        const isCompleted = (change: ChangedValue) =>
          (change.before === idOf(change) || isKey(change.before)) &&
          !(counts.has(change.after) || isKey(change.after));
        const changed = column.changed.filter((change) => isOther(key, change) && !isCompleted(change));
        const isLost = (each: ChangedValue) => isKey(each.after) || each.after === idOf(each);
        const lost = changed.filter((each) => isLost(each) && !isKey(each.before));
        const isMany = changed.length > both * MAX_RENAMED_SHARE || lost.length > changed.length / 2;
        const isRenamed = isMany && !isTitle && changed.length >= 3;
        const isTaken = takesNames(counts, changed) && changed.length <= both / 2;
        if (!isTaken && !isRenamed && !hasSwapped(changed)) return [];
        return [reportChanged(list, [{ ...column, changed }], 'changed', changed.length, both)];
      }),
    ]),
};

/** Whether half of the changed names have no letters, such as "???", or belonged to another record, which is usual where records share names. */
function takesNames(counts: ReadonlyMap<unknown, number>, changed: readonly ChangedValue[]): boolean {
  const records = [...counts.values()].reduce((a, b) => a + b, 0);
  const isUnique = counts.size >= records * 0.95;
  const taken = changed.filter(({ before, after }) => {
    const [earlier, later] = [plain(before), plain(after)];
    const isFar = earlier !== '' && distance(earlier, later) >= Math.max(earlier.length, later.length) * 0.6;
    if (!/[\p{L}\p{N}]/u.test(String(after)) || (isUnique && counts.get(after) === 1)) return true;
    // A key that was replaced by its text may get one that others have.
    return changed.length <= 2 && counts.has(after) && isFar && !isUnresolved(String(before));
  });
  return taken.length > 0 && taken.length >= changed.length / 2;
}

/** Whether two records exchanged their names. */
function hasSwapped(changed: readonly ChangedValue[]): boolean {
  const seen = new Set(changed.map(({ before, after }) => JSON.stringify([before, after])));
  return changed.some(({ before, after }) => seen.has(JSON.stringify([after, before])));
}

/** Whether a name is a different one, not the same with other numbers or capitals. In other languages, "Le pionnier" may become "Pionnier". */
function isOther(key: string, { before, after }: ChangedValue): boolean {
  const [earlier, later] = [plain(before), plain(after)];
  if (earlier === later) return earlier === '';
  const [short = '', long = ''] = [earlier, later].sort((a, b) => a.length - b.length);
  return key === 'name' || short.length < long.length / 2 || !long.endsWith(short);
}

function plain(value: Scalar): string {
  const text = String(value).toLowerCase();
  return text.replace(/\{[^}]*\}|[\d\s\p{P}+]+/gu, '');
}

/** A single number may change by less than this factor. */
const MAX_FACTOR = 4;
/** Smaller numbers, such as costs and ranks, may change by any factor. */
const MIN_SIZE = 20;
/** A number this large that is exactly doubled or halved comes from another row. */
const MIN_EXACT = 100;
/** Fewer numbers have no usual size. */
const MIN_NUMBERS = 10;

const valuesJumpedCheck: ChangeCheck = {
  name: 'values-jumped',
  description:
    'Single numbers do not jump far, few records get all the numbers of another, and new ones are not all copies, nor far from all others, nor years away.',
  check: ({ changes, build }) =>
    changes.flatMap((list): ChangeFinding[] => {
      if (list.after.kind === 'object') return [];
      const jumps = list.columns.flatMap((column): ChangeFinding[] => {
        const { key, changed, both, bothAt } = column;
        if (both < MIN_NUMBERS || list.patterns.has(key)) return [];
        // Inside lists, one or two numbers that change alone are not an edit.
        const isFew = changed.length <= Math.max(2, bothAt.length > 0 ? 0 : both / 10);
        const isQuantity = !NO_QUANTITY.test(key);
        const found = changed.filter(
          (change) =>
            isOutOfTime(change, END.test(key)) || (isQuantity && isFew && isJump(list, key, change)),
        );
        if (found.length === 0) return [];
        return [reportChanged(list, [{ ...column, changed: found }], 'jumped', found.length, both)];
      });
      const expected = `numbers near those of build ${list.earlier}`;
      const copies = findCopies(list);
      jumps.push(...reportTwins(list), ...reportFar(list), ...reportAhead(list, build.source.released_at));
      const what = `all numbers of another record in ${copies.length} of ${list.after.records.length} records of ${list.after.list}`;
      const examples = copies.map(([name, owner]) => `${name} has those of ${owner}`);
      const names = copies.map(([name]) => name);
      const carry = carryRecords(list.after, names);
      if (copies.length === 0) return jumps;
      return [...jumps, findingOf(list, [], `${what}: ${nameSome(examples)}`, expected, carry)];
    }),
};

/** Whether a number is far from its previous value; not if it was far from what most records have, and is near that now. */
function isJump({ before: list }: ListChange, key: string, { before, after }: ChangedValue): boolean {
  const field = list.fields.get(key);
  if (after === 0 && !field?.isListed) return (field?.min ?? 0) >= MIN_SIZE;
  if (typeof before !== 'number' || typeof after !== 'number') return false;
  if (before * after <= 0) return before >= MIN_SIZE && after < 0 && field !== undefined && field.min >= 0;
  // Values of a choice may change to any other.
  if (!field || field.numbers < MIN_NUMBERS || (field.choices?.size ?? 5) < 5) return false;
  const most = field.isListed ? 2 * MAX_FACTOR : MAX_FACTOR;
  // Lists have many small numbers, such as counts of materials.
  const sizes = [Math.abs(before), Math.abs(after)];
  const size = field.isListed ? Math.min(...sizes) : Math.max(...sizes);
  const factor = after / before;
  const isExact = size >= MIN_EXACT && !field.isListed && (factor === 2 || factor === 0.5);
  if (size < MIN_SIZE || !(factor >= most || factor <= 1 / most || isExact)) return false;
  const values = list.records.map((record) => valueAt(record, field.path));
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const distanceOf = (value: number) => Math.abs(Math.log(value / (numbers[numbers.length >> 1] ?? 0)));
  return !(distanceOf(before) >= Math.log(most) && distanceOf(after) <= Math.log(most) / 2);
}

const END = /(?:^|[._])(?:end|clos|until|expire)/;

/** Whether a date is now before all games, as zero is, or after them, as a mark for "never", which ends may have. */
function isOutOfTime({ before, after }: ChangedValue, mayBeNever: boolean): boolean {
  const [earlier, later] = [String(before), String(after)];
  const isOut = mayBeNever ? later < '2000' : !/^20[0-8]\d-/.test(later);
  return /^20[0-8]\d-\d\d/.test(earlier) && /^\d{4}-\d\d/.test(later) && isOut;
}

/** Fewer new records with all numbers of another one may be its variants. */
const MIN_COPIES = 3;

/** Finds records with all numbers of another one: few that had others before, or several new ones where numbers are hardly ever shared. */
function findCopies({ before, added, pairs, columns }: ListChange): [name: string, owner: string][] {
  const changed = columns.flatMap((column) => (column.bothAt.length > 0 ? [] : column.changed));
  const touched = new Set(
    changed.flatMap(({ record, after }) => (typeof after === 'number' ? [record] : [])),
  );
  if (touched.size === 0 && added.length < MIN_COPIES) return [];
  const anyOrder = (record: JsonObject) => numbersOf(record).split(' ').sort().join(' ');
  const owners = new Map<string, string>();
  for (const [name, record] of pairs) {
    const numbers = anyOrder(record);
    owners.set(numbers, owners.has(numbers) ? '' : name);
  }
  owners.delete('');
  const isUsual = owners.size < pairs.length * NEARLY_ALL;
  const isCopied = (record: JsonObject) => {
    const owner = before.byId?.get(owners.get(anyOrder(record)) ?? '');
    return owner !== undefined && !isVariant(record, owner);
  };
  const found = isUsual ? [] : added.filter(isCopied);
  // Among many new records, a few have the numbers of others by chance.
  const copies = found.length < Math.max(MIN_COPIES, added.length / 2) ? [] : found;
  const few = touched.size > pairs.length / 2 ? [] : pairs.filter((_, at) => touched.has(at));
  const others = few.filter(([, earlier, later]) => numbersOf(earlier) !== numbersOf(later));
  const all = [
    ...others.map(([name, , later]) => [name, later] as const),
    ...copies.map((record) => [String(record.id), record] as const),
  ];
  return all.flatMap(([name, record]): [string, string][] => {
    const owner = owners.get(anyOrder(record));
    return owner ? [[name, owner === name ? 'itself, in another order' : owner]] : [];
  });
}

/** The numbers of a record and the objects in it, as a text; `''` if fewer than three are large. Small ones besides the stats are no quantities. */
function numbersOf(record: JsonObject): string {
  const numbersIn = (object: JsonObject): number[] =>
    Object.values(object).flatMap((value) => {
      if (isObject(value)) return numbersIn(value);
      return typeof value === 'number' ? [value] : [];
    });
  const isLarge = (value: number) => Math.abs(value) >= MIN_SIZE;
  const all = numbersIn(isObject(record.stats) ? record.stats : record);
  const large = all.filter(isLarge);
  return large.length >= 3 ? (isObject(record.stats) ? all : large).join(' ') : '';
}

export const VALUE_CHECKS = [
  fieldKindsCheck,
  valuesLostCheck,
  valuesChangedCheck,
  valuesMovedCheck,
  categoriesChangedCheck,
  namesChangedCheck,
  valuesJumpedCheck,
];

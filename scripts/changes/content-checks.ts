import { quoteValue } from '../findings.ts';
import type { JsonObject } from '../format/dist-format.ts';
import {
  type BuildData,
  type ChangeCheck,
  type ChangeFinding,
  carryRecords,
  findingOf,
  quoteKeys,
  sourceOf,
} from './data.ts';
import { isEmpty, type List, type SurveyedAttribute, valueAt } from './survey.ts';
import { isName, type TextFault, withoutLanguage } from './texts.ts';

// Checks of the numbers and texts of a build; they also apply to a first build.

/** A list, in the form that checks of content report. */
type Content = { after: List } & ReturnType<typeof sourceOf>;

function listsOf({ after, build }: BuildData): Content[] {
  return [...after.lists.values()].map((list) => ({ after: list, ...sourceOf(build, list.list) }));
}

const MIN_VALUES = 10;

const numbersImplausibleCheck: ChangeCheck = {
  name: 'numbers-implausible',
  description:
    'Numbers are no marks for "none" such as 9999 or -1, stats are not all zero, no minimum is above its maximum and no start after its end.',
  check: (data) =>
    listsOf(data).flatMap((list): ChangeFinding[] =>
      [...list.after.fields.values()].flatMap((field): ChangeFinding[] => {
        const { key, numbers } = field;
        const isStat = !data.before && list.after.list === 'characters' && /^stats\.[^.]+$/.test(key);
        const mark = findMark(field, isStat);
        if (mark === undefined) return findCrossed(list, field);
        const found = `${mark.value} in ${mark.count} of ${numbers} values of "${key}" of ${list.after.list}`;
        return [findingOf(list, [key], found, 'numbers that the game shows, or none', { count: mark.count })];
      }),
    ),
};

/** Finds the number that stands for "none" in some records; for a stat, also zero in all records. */
function findMark({ key, numbers, zeros, nines, minusOnes, min, max }: SurveyedAttribute, isStat: boolean) {
  if (numbers < MIN_VALUES || /(?:^|[._])(?:ids?|order|sort|at)$/.test(key)) return undefined;
  const isMany = (count: number) => count >= 3 && count >= numbers * 0.05 && count < numbers / 2;
  // A number such as 9999 that means "no limit" is the largest of all.
  if (isMany(nines) && /^9{4,}$/.test(String(max))) return { value: max, count: nines };
  if (isMany(minusOnes) && min === -1) return { value: -1, count: minusOnes };
  return isStat && zeros === numbers ? { value: 0, count: zeros } : undefined;
}

const LIMITS = new Map(
  Object.entries({ min: 'max', start: 'end', begin: 'end', open: 'close', opens: 'closes' }),
);

/** Finds minimums above their maximums, and starts after their ends: adjacent attributes whose names differ only in these words. */
function findCrossed(list: Content, { key, path, isListed }: SurveyedAttribute): ChangeFinding[] {
  const name = path.at(-1) ?? '';
  const other = name.replace(/(?<![a-z])[a-z]+(?![a-z])/g, (word) => LIMITS.get(word) ?? word);
  const otherPath = [...path.slice(0, -1), other];
  if (isListed || other === name || !list.after.attributes.has(otherPath.join('.'))) return [];
  const crossed = list.after.records.filter((record) => {
    const [least, most] = [valueAt(record, path), valueAt(record, otherPath)];
    if (isEmpty(least) || isEmpty(most) || typeof least !== typeof most) return false;
    return typeof least === 'number'
      ? least > Number(most)
      : Date.parse(String(least)) > Date.parse(String(most));
  });
  // One or two events that end before they start are a fault of the game.
  if (crossed.length === 0 || (typeof valueAt(crossed[0] ?? {}, path) === 'string' && crossed.length < 3))
    return [];
  const first = `first "${String(crossed[0]?.id ?? '')}"`;
  const found = `"${key}" above "${other}" in ${crossed.length} records of ${list.after.list}, ${first}`;
  return [findingOf(list, [key], found, 'limits in their order', { count: crossed.length })];
}

const FAULTS: Readonly<Record<TextFault, readonly [what: string, fix: string]>> = {
  mojibake: [
    'texts that were decoded with a wrong encoding',
    'convert the file to UTF-8 from its own encoding',
  ],
  replacement: ['texts with replacement characters', 'look for a dump that is not damaged'],
  control: ['texts with control or private-use characters', 'replace them in the mapping, with $replace'],
  entity: ['texts with HTML entities', 'replace them in the mapping by the characters'],
  markup: ['texts with markup', 'remove the tags in the mapping, with $strip'],
  blank: ['names without a letter', 'leave them out in the mapping'],
  spaces: ['names with spaces at an end or invisible characters', 'remove them in the mapping, with $trim'],
  unresolved: [
    'keys, hashes or templates instead of texts',
    'look the texts up in the mapping, or wait until upstream has them',
  ],
};
const { unresolved: _, ...DAMAGES } = FAULTS;

const textDamagedCheck: ChangeCheck = {
  name: 'text-damaged',
  description:
    'Texts have no replacement, control or private-use characters and no HTML entities, were not decoded with another encoding, and names have letters and no markup.',
  check: (data) => Object.keys(DAMAGES).flatMap((fault) => reportTexts(data, fault as TextFault)),
};

const textUnresolvedCheck: ChangeCheck = {
  name: 'text-unresolved',
  description: 'Names are texts, not keys, hashes or templates of texts; no text is undefined, null or NaN.',
  check: (data) => reportTexts(data, 'unresolved').filter(({ of }) => !isOfNewRecords(data, of)),
};

/** Fewer damaged texts in thousands are a fault of the game; but everyone sees a name. */
const MIN_FAULTY = 3;
const MIN_FAULTY_SHARE = 0.01;
/** Faults that games themselves have, in fewer records than this share, except in names of characters. */
const OF_GAMES: ReadonlySet<TextFault> = new Set(['blank', 'unresolved']);
const MAX_OF_GAME_SHARE = 0.1;

/** Makes one finding for all attributes of a list with a fault. */
function reportTexts(data: BuildData, fault: TextFault): ChangeFinding[] {
  const [what, fix] = FAULTS[fault];
  return listsOf(data).flatMap((list): ChangeFinding[] => {
    const isRoster = list.after.list === 'characters';
    const faulty = [...list.after.fields.values()].flatMap((field) => {
      const occurrence = field.faults.get(fault);
      // Games themselves have spaces at the end of many other texts, and call some things "?".
      const isOfGame = fault === 'spaces' || (fault === 'blank' && occurrence?.text.trim());
      return occurrence && (!isOfGame || (isRoster && isName(field.key))) ? [{ field, ...occurrence }] : [];
    });
    const [first] = faulty;
    const count = faulty.reduce((sum, each) => sum + each.count, 0);
    const all = faulty.reduce((sum, { field }) => sum + field.texts, 0);
    const isShown = faulty.some(({ field }) => field.isShown);
    if (first === undefined || (!isShown && count < MIN_FAULTY && count < all * MIN_FAULTY_SHARE)) return [];
    // Texts in several languages of a record count once: what upstream lacks is the same fault in one language or in all.
    const counts = new Map<string, number>();
    for (const { field, count } of faulty) {
      const key = withoutLanguage(field.key);
      counts.set(key, Math.max(counts.get(key) ?? 0, count));
    }
    const { id } = list.after.records[first.record] ?? {};
    const example = `${quoteValue(first.text)}${typeof id === 'string' ? ` of record "${id}"` : ''}`;
    const keys = quoteKeys(faulty.map(({ field }) => field.key));
    const found = `${count} ${what} in ${keys} of ${list.after.list}: ${example}`;
    const records = [...counts.values()].reduce((sum, each) => sum + each, 0);
    const place = list.compiled[first.record]?.place ?? list.place;
    const isFew = records < list.after.records.length * MAX_OF_GAME_SHARE;
    const isNamed = isRoster && faulty.some(({ field }) => field.isShown && !field.isListed);
    const warns =
      fault === 'spaces' || (fault === 'markup' && !isShown) || (OF_GAMES.has(fault) && isFew && !isNamed);
    const ids = faulty.map((each) => list.after.records[each.record]?.id);
    const carry = data.before ? carryRecords(list.after, ids, records) : {};
    const about = { place, count: records, warns, fix, ...carry };
    return [findingOf(list, [...counts.keys()], found, 'texts as people read them', about)];
  });
}

/** Whether all names that are not texts belong to new records of a dataset: nothing is lost, and upstream usually adds their texts later. */
function isOfNewRecords({ after, before }: BuildData, of: string): boolean {
  const [name = ''] = of.split('.');
  const [earlier, later] = [before?.lists.get(name), after.lists.get(name)];
  if (!earlier?.byId || later === undefined || name === 'characters') return false;
  const isNew = ({ id }: JsonObject) => !earlier.byId?.has(String(id));
  const added = later.records.filter(isNew).length;
  return [...later.fields.values()].every(({ faults, isListed, key }) => {
    const fault = faults.get('unresolved');
    const known = earlier.fields.get(key)?.faults.get('unresolved')?.count ?? 0;
    return (
      !fault ||
      (!isListed && fault.count - known <= added && (known > 0 || isNew(later.records[fault.record] ?? {})))
    );
  });
}

export const CONTENT_CHECKS = [numbersImplausibleCheck, textDamagedCheck, textUnresolvedCheck];

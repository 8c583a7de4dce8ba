import { exampleRecords } from '../rule.ts';
import type { Scalar } from '../columns.ts';
import { type ListStep, nameSome, type StepCheck, type StepFinding } from '../step.ts';
import type { ValueProfile } from '../profile/value-profile.ts';

const element = (index: number) => ({ element: index % 2 === 0 ? 'Fire' : 'Ice' });
const before = { '1.0/characters.json': exampleRecords(20, element) };
const withNew = (name: string) => ({
  '1.1/characters.json': exampleRecords(21, (index) => (index < 20 ? element(index) : { element: name })),
});

export const newValuesCheck: StepCheck<'max_categories' | 'min_records_each'> = {
  name: 'new-values',
  description: 'An attribute with few different texts or numbers, such as an element, gets no other ones.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_categories: {
      default: 20,
      min: 1,
      max: 40,
      help: 'an attribute with more texts or numbers is no category',
    },
    min_records_each: {
      default: 5,
      min: 1,
      max: 1e9,
      help: 'an attribute whose texts or numbers are in fewer records, on average, is no category',
    },
  },
  passes: { ...before, ...withNew('Ice') },
  fails: { ...before, ...withNew('Iec') },
  check: ({ lists, before: { build } }, { max_categories, min_records_each }) =>
    lists.flatMap((list): StepFinding[] => {
      if (list.after.kind === 'object' || list.renumbered.length > 0) return [];
      const isChoice = (values: number, different: number | undefined) =>
        different !== undefined &&
        different <= max_categories &&
        values >= Math.max(20, different * min_records_each);
      const news = [...list.before.values.values()].flatMap((earlier): New[] => {
        const later = list.after.values.get(earlier.key);
        if (later === undefined || !canBeCategory(list, earlier.key)) return [];
        const hasTexts =
          isChoice(earlier.texts, earlier.categories?.size) && list.after.attributes.has(earlier.key);
        // Attributes of objects in lists are references, mostly.
        const texts = hasTexts ? newTexts(earlier, later) : [];
        const numbers = isChoice(earlier.numbers, earlier.choices?.size) ? newNumbers(list, earlier) : [];
        const values = [...texts, ...numbers];
        const isDamage = texts.length > 0 && countMoved(list, earlier) >= leastMoved(list);
        return values.length === 0 ? [] : [{ key: earlier.key, values, isDamage }];
      });
      // A list that is made of another attribute has the same new values.
      const isRepeated = ({ key, values }: New) =>
        list.after.attributes.get(key)?.kind?.list === true &&
        news.some((other) => other.key !== key && values.every((value) => other.values.includes(value)));
      const shown = news.filter((one) => !isRepeated(one));
      if (shown.length === 0) return [];
      return [
        {
          of: shown.length === 1 ? `${list.after.list}.${shown[0]?.key}` : list.after.list,
          place: list.place,
          ...(shown.some(({ isDamage }) => isDamage) && { severity: 'error' as const }),
          found: `new values in ${list.after.list}: ${nameSome(shown.map(({ key, values }) => `"${key}" ${values.join(', ')}`))}`,
          expected: `the values of build ${build}, or new ones that the game has`,
        },
      ];
    }),
};

/** The new values of an attribute, as a finding shows them. */
interface New {
  key: string;
  values: string[];
  /** Whether many records that the build before has got one of them: a new one comes with new records. */
  isDamage: boolean;
}

const MIN_MOVED = 4;
const MIN_MOVED_SHARE = 0.02;
/** So many are no edits, however long the list is. */
const MAX_MOVED = 20;

/** How many records of both builds got a text that none had. */
function countMoved({ columns }: ListStep, { key, categories }: ValueProfile): number {
  const { changed = [] } = columns.find((column) => column.key === key) ?? {};
  return changed.filter(({ after }) => typeof after === 'string' && !categories?.has(after)).length;
}

function leastMoved({ pairs }: ListStep): number {
  return Math.max(MIN_MOVED, Math.min(MAX_MOVED, pairs.length * MIN_MOVED_SHARE));
}

/** Tags and places are free: a game brings new ones with its records. */
const free = /(?:^|[._])(?:tags?|keywords?|regions?|countr(?:y|ies)|nations?|nationality)$/;

/** Names and ids are no categories, and `rarity` has its own gate. */
function canBeCategory({ explained }: ListStep, key: string): boolean {
  const isName = /(?:^|[._])(?:id|name|title|key|rarity)(?:_[a-z]+)?$/.test(key);
  return !isName && !free.test(key) && !explained.has(key);
}

/** Whether a text can name a category: no number or date, which are ids and times, and no sentence. */
function isWord(text: string): boolean {
  return text.length <= 40 && !/^[\d:T.Z-]+$/.test(text);
}

const MAX_TEXTS = 3;

function newTexts({ categories: before }: ValueProfile, { categories: after }: ValueProfile): string[] {
  if (![...(before ?? [])].some(isWord)) return [];
  if (after === undefined) return ['many'];
  const texts = [...after].filter((text) => !before?.has(text) && isWord(text));
  const more = texts.length - MAX_TEXTS;
  const quoted = texts.slice(0, MAX_TEXTS).map((text) => JSON.stringify(text.slice(0, 40)));
  return more > 0 ? [...quoted, `${more} more`] : quoted;
}

/** A number that is new in one record is an edit; one that is new in several may be a code that has another meaning. */
const MIN_NEW_NUMBERS = 3;
const MIN_NEW_SHARE = 0.02;

/** Numbers that several records had no reason to get: new records may bring new ones. */
function newNumbers({ columns }: ListStep, { key, choices }: ValueProfile): string[] {
  const column = columns.find((other) => other.key === key);
  const counts = new Map<Scalar, number>();
  for (const { after } of column?.changed ?? []) {
    if (typeof after === 'number' && !choices?.has(after)) counts.set(after, (counts.get(after) ?? 0) + 1);
  }
  const least = Math.max(MIN_NEW_NUMBERS, (column?.both ?? 0) * MIN_NEW_SHARE);
  return [...counts]
    .filter(([, count]) => count >= least)
    .slice(0, MAX_TEXTS)
    .map(([number]) => String(number));
}

import { exampleRecords } from '../rule.ts';
import { type ListStep, nameSome, type StepCheck, type StepFinding } from './step.ts';
import type { ValueProfile } from './value-profile.ts';

const element = (index: number) => ({ element: index % 2 === 0 ? 'Fire' : 'Ice' });
const before = { '1.0/characters.json': exampleRecords(20, element) };
const withNew = (name: string) => ({
  '1.1/characters.json': exampleRecords(21, (index) => (index < 20 ? element(index) : { element: name })),
});

export const newValuesCheck: StepCheck<'max_categories' | 'min_records_each'> = {
  name: 'new-values',
  description: 'An attribute with few different texts, such as an element, gets no other ones.',
  scope: 'step',
  severity: 'warning',
  thresholds: {
    max_categories: { default: 20, min: 1, max: 40, help: 'an attribute with more texts is no category' },
    min_records_each: {
      default: 5,
      min: 1,
      max: 1e9,
      help: 'an attribute whose texts are in fewer records, on average, is no category',
    },
  },
  passes: { ...before, ...withNew('Ice') },
  fails: { ...before, ...withNew('Iec') },
  check: ({ lists, before: { build } }, { max_categories, min_records_each }) =>
    lists.flatMap((list): StepFinding[] => {
      if (list.after.kind === 'object' || list.renumbered.length > 0) return [];
      const isCategory = ({ key, texts, categories }: ValueProfile) =>
        // Attributes of objects in lists are references, mostly; names and ids are no categories.
        list.after.attributes.get(key)?.kind?.list === false &&
        !/(?:^|[._])(?:id|name|title|key)(?:_[a-z]+)?$/.test(key) &&
        categories !== undefined &&
        categories.size <= max_categories &&
        [...categories].some((text) => isWord(text)) &&
        texts >= Math.max(20, categories.size * min_records_each);
      const news = [...list.before.values.values()].filter(isCategory).flatMap((earlier) => {
        const texts = newTexts(list, earlier);
        return texts.length === 0 ? [] : [{ key: earlier.key, texts }];
      });
      if (news.length === 0) return [];
      return [
        {
          of: news.length === 1 ? `${list.after.list}.${news[0]?.key}` : list.after.list,
          place: list.place,
          found: `new values in ${list.after.list}: ${nameSome(news.map(({ key, texts }) => `"${key}" ${texts.join(', ')}`))}`,
          expected: `the values of build ${build}, or new ones that the game has`,
        },
      ];
    }),
};

/** Whether a text can name a category: no number or date, which are ids and times, and no sentence. */
function isWord(text: string): boolean {
  return text.length <= 40 && !/^[\d:T.Z-]+$/.test(text);
}

const MAX_TEXTS = 3;

function newTexts({ after, explained }: ListStep, { key, categories }: ValueProfile): string[] {
  if (explained.has(key)) return [];
  const later = after.values.get(key);
  if (later === undefined) return [];
  if (later.categories === undefined) return ['many'];
  const texts = [...later.categories].filter((text) => !categories?.has(text) && isWord(text));
  const more = texts.length - MAX_TEXTS;
  const quoted = texts.slice(0, MAX_TEXTS).map((text) => JSON.stringify(text.slice(0, 40)));
  return more > 0 ? [...quoted, `${more} more`] : quoted;
}

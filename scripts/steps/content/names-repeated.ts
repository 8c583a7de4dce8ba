import { quoteValue } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck, ListContent } from './content.ts';

const named = (count: number) => ({
  '1.0/characters.json': exampleRecords(20, (index) => (index < count ? { name: 'Soon' } : {})),
});

export const namesRepeatedCheck: ContentCheck<
  'max_share_of_characters' | 'max_share_of_records' | 'min_records'
> = {
  name: 'names-repeated',
  description: 'Few records of a list have the same name.',
  scope: 'build',
  severity: 'error',
  thresholds: {
    max_share_of_characters: {
      default: 0.25,
      min: 0,
      max: 1,
      help: 'the share of characters that may have the same name',
    },
    // Banners and enemies may have one name for many.
    max_share_of_records: {
      default: 0.75,
      min: 0,
      max: 1,
      help: 'the share of records of a dataset that may have the same name',
    },
    min_records: { default: 5, min: 2, max: 1e9, help: 'fewer records with the same name are not reported' },
  },
  passes: named(5),
  fails: named(6),
  check: ({ lists }, limits) =>
    lists.flatMap((list): StepFinding[] => {
      const { max_share_of_characters, max_share_of_records, min_records } = limits;
      const share = list.list === 'characters' ? max_share_of_characters : max_share_of_records;
      return list.texts
        .filter(({ key }) => /^name(?:_|$)/.test(key))
        .flatMap(({ key }): StepFinding[] => {
          const [name, count, all] = mostFrequentText(list, key);
          if (count < min_records || count <= all * share) return [];
          return [
            {
              of: `${list.list}.${key}`,
              place: list.place,
              found: `${quoteValue(name)} as "${key}" of ${count} of ${all} records of ${list.list}`,
              expected: 'a name for each record',
            },
          ];
        });
    }),
};

function mostFrequentText({ records }: ListContent, key: string): [text: string, count: number, all: number] {
  const counts = new Map<string, number>();
  let all = 0;
  for (const record of records) {
    const text = record[key];
    if (typeof text !== 'string' || text === '') continue;
    all++;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  let most = '';
  for (const [text, count] of counts) if (count > (counts.get(most) ?? 0)) most = text;
  return [most, counts.get(most) ?? 0, all];
}

import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from './content.ts';

const named = (count: number) => ({
  '1.0/characters.json': exampleRecords(10, (index) => ({
    name_ja: `名前${index}`,
    name_zh: index < count ? `名前${index}` : `名${index}`,
  })),
});

export const languageCopiedCheck: ContentCheck<'max_same_share' | 'min_texts'> = {
  name: 'language-copied',
  description: 'The texts of a language are not those of another one.',
  scope: 'build',
  severity: 'warning',
  thresholds: {
    max_same_share: {
      default: 0.9,
      min: 0,
      max: 1,
      help: 'the share of texts that may be the same in two languages',
    },
    min_texts: { default: 10, min: 1, max: 1e9, help: 'fewer texts are not compared' },
  },
  passes: named(9),
  fails: named(10),
  check: ({ lists }, { max_same_share, min_texts }) =>
    lists.flatMap((list) =>
      list.texts.flatMap(({ key, copies }): StepFinding[] => {
        const copied = [...copies].find(
          ([, { both, same }]) => both >= min_texts && same > both * max_same_share,
        );
        if (copied === undefined) return [];
        const [name, { both, same }] = copied;
        return [
          {
            of: `${list.list}.${key}`,
            place: list.place,
            found: `"${key}" is the same as "${name}" in ${same} of ${both} records of ${list.list}`,
            expected: 'texts of two languages',
          },
        ];
      }),
    ),
};

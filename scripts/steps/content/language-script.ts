import { quoteValue } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from './content.ts';
import { ownerOf, placeOf } from './report-texts.ts';

const MAX_OWN_SHARE = 0.5;

const named = (count: number) => ({
  '1.0/characters.json': exampleRecords(20, (index) => ({
    name_ja: index < count ? `Robot ${index}` : `星見雅 ${index}`,
  })),
});

export const languageScriptCheck: ContentCheck<'max_other_share' | 'min_texts'> = {
  name: 'language-script',
  description:
    'Texts of a language are in its script: those of name_ja in kana or kanji, and most names of characters in that of the game.',
  scope: 'build',
  severity: 'error',
  thresholds: {
    // Robots and units often have Latin names in every language.
    max_other_share: {
      default: 0.25,
      min: 0,
      max: 1,
      help: 'the share of the texts of an attribute that may be in another script',
    },
    min_texts: { default: 5, min: 1, max: 1e9, help: 'fewer texts in another script are not reported' },
  },
  passes: named(5),
  fails: named(6),
  check: ({ lists }, { max_other_share, min_texts }) =>
    lists.flatMap((list) =>
      list.texts.flatMap(({ key, texts, language, foreign }): StepFinding[] => {
        if (foreign === undefined || language === undefined) return [];
        // Of names that say no language, only those of most characters have to be in that of the game.
        const isOwn = key === 'name';
        const share = isOwn ? Math.max(max_other_share, MAX_OWN_SHARE) : max_other_share;
        if (isOwn && list.list !== 'characters') return [];
        if (foreign.count < min_texts || foreign.count <= texts * share) return [];
        return [
          {
            of: `${list.list}.${key}`,
            place: placeOf(list, foreign),
            found: `${foreign.count} of ${texts} texts of "${key}" of ${list.list} in another script: ${quoteValue(foreign.text)}${ownerOf(list, foreign)}`,
            expected: `${language.scripts.join(' or ')}, as the language "${language.code}" is written`,
          },
        ];
      }),
    ),
};

import { exampleRecords } from '../rule.ts';
import type { ContentCheck } from './content.ts';
import { reportTexts } from './report-texts.ts';
import type { Occurrence, TextSurvey } from './text-survey.ts';

const MAX_MARKUP_SHARE = 0.1;

const named = (name: string) => ({
  '1.0/characters.json': exampleRecords(3, (index) => (index === 2 ? { name } : {})),
});

export const textEntitiesCheck: ContentCheck = {
  name: 'text-entities',
  description: 'Texts have characters, not HTML entities, and names have no markup.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: named('Salt & Pepper'),
  fails: named('Salt &amp; Pepper'),
  *check(content) {
    yield* reportTexts(content, ({ faults }) => faults.get('entity'), 'texts with HTML entities', {
      expected: 'the characters themselves',
    });
    // Few names have angle brackets of their own.
    const isMany = (survey: TextSurvey, { count }: Occurrence) => count > survey.texts * MAX_MARKUP_SHARE;
    const select = (survey: TextSurvey) => {
      const markup = survey.faults.get('markup');
      return markup && isMany(survey, markup) ? markup : undefined;
    };
    yield* reportTexts(content, select, 'names with markup', {
      expected: 'names without tags',
      fix: 'remove the tags in the mapping, with $replace',
    });
  },
};

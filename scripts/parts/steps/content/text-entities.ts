import { exampleRecords } from '../rule.ts';
import type { ContentCheck } from './content.ts';
import { reportTexts } from './report-texts.ts';

const named = (name: string) => ({
  '1.0/characters.json': exampleRecords(3, (index) => (index === 2 ? { name } : {})),
});

export const textEntitiesCheck: ContentCheck = {
  name: 'text-entities',
  description: 'Texts have characters, not HTML entities.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: named('Salt & Pepper'),
  fails: named('Salt &amp; Pepper'),
  check: (content) =>
    reportTexts(content, ({ faults }) => faults.get('entity'), 'texts with HTML entities', {
      expected: 'the characters themselves',
    }),
};

import { exampleRecords } from '../rule.ts';
import type { ContentCheck } from './content.ts';
import { reportTexts } from './report-texts.ts';

const named = (name: string) => ({
  '1.0/characters.json': exampleRecords(3, (index) => (index === 2 ? { name } : {})),
});

export const textUnresolvedCheck: ContentCheck = {
  name: 'text-unresolved',
  description: 'Names are texts, not keys, hashes or templates of texts; no text is undefined, null or NaN.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: named('THRM-EX 2077'),
  fails: named('Avatar_Miyabi_Name'),
  check: (content) =>
    reportTexts(
      content,
      ({ faults }) => faults.get('unresolved'),
      'keys, hashes or templates instead of texts',
      { expected: 'texts', fix: 'look the texts up in the mapping, or wait until upstream has them' },
    ),
};

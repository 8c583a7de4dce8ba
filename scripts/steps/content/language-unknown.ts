import path from 'node:path';
import { suggestFix } from '../../lib/nearest.ts';
import { exampleRecords } from '../rule.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from './content.ts';
import { LANGUAGE_CODES } from './languages.ts';

const IN_NAME = /(?:^|\.)name_([a-z]{2,3})(_[a-z]{2,4})?$/;
const known = new Set(LANGUAGE_CODES);
const expected = 'the code of a language, such as en, ja or zh_cn';

const named = (attribute: string) => ({
  '1.0/characters.json': exampleRecords(3, (index) => ({ [attribute]: `Name ${index} C` })),
});

export const languageUnknownCheck: ContentCheck = {
  name: 'language-unknown',
  description: 'The language of a game, and that of a name such as name_ja, is one that exists.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  passes: named('name_fil'),
  fails: named('name_enn'),
  check({ build: { source }, lists }) {
    const findings: StepFinding[] = [];
    const { language = 'en' } = source;
    if (!isKnown(language)) {
      const file = path.posix.join(path.posix.dirname(source.folder), 'game.json');
      findings.push({
        ...{ of: 'language', place: { file, pointer: '/language' } },
        ...{ found: `the language "${language}"`, expected, ...suggestCode(language) },
      });
    }
    for (const { list, place, values } of lists) {
      for (const key of values.keys()) {
        const [, code = 'en', more = ''] = IN_NAME.exec(key) ?? [];
        if (known.has(code)) continue;
        const { fix } = suggestCode(code + more);
        findings.push({
          ...{ of: `${list}.${key}`, place, found: `"${key}" in ${list}`, expected: `name_ and ${expected}` },
          fix: `${fix ? `${fix} ` : ''}if it is in no language, name it otherwise, such as "label"`,
        });
      }
    }
    return findings;
  },
};

function isKnown(language: string): boolean {
  return known.has(language.split('_', 1).join(''));
}

/** The nearest code, with the region or script that the other one has. */
function suggestCode(language: string): { fix?: string } {
  const [code = '', ...more] = language.split('_');
  const near = LANGUAGE_CODES.filter((each) => each[0] === code[0] || each[1] === code[1]);
  return suggestFix(
    language,
    near.map((each) => [each, ...more].join('_')),
  );
}

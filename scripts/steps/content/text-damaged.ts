import { exampleRecords } from '../rule.ts';
import type { ContentCheck } from './content.ts';
import { reportTexts } from './report-texts.ts';

const named = (name: string) => ({
  '1.0/characters.json': exampleRecords(3, (index) => (index === 2 ? { name } : {})),
});

export const textDamagedCheck: ContentCheck = {
  name: 'text-damaged',
  description: 'Texts have no replacement or control characters, and were not decoded with another encoding.',
  scope: 'build',
  severity: 'error',
  thresholds: {},
  passes: named('Ã Château É'),
  fails: named('ChÃ¢teau'),
  *check(content) {
    const expected = 'text in the encoding of its file';
    yield* reportTexts(
      content,
      ({ faults }) => faults.get('mojibake'),
      'texts that were decoded with a wrong encoding',
      {
        expected,
        fix: 'convert the file to UTF-8 from its own encoding, or look for a dump that is not damaged',
      },
    );
    yield* reportTexts(
      content,
      ({ faults }) => faults.get('replacement'),
      'texts with replacement characters',
      {
        expected,
        fix: 'look for a dump that is not damaged: what these characters were is lost',
      },
    );
    yield* reportTexts(content, ({ faults }) => faults.get('control'), 'texts with control characters', {
      expected: 'texts without them; tabs and line feeds may be in texts',
      fix: 'remove them in the mapping, with $replace',
    });
  },
};

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../scripts/format/dist-format.ts';
import { gameSchema } from '../../../../scripts/read/game-schema.ts';
import { captureBy, compileSchema, findMismatches } from '../../../../scripts/read/schema.ts';

const test = suite('source in game.json');

const validate = compileSchema(gameSchema);
const GOOD = { git: 'https://github.com/owner/name.git', build: { subject: '^Update (\\d+\\.\\d+)' } };

function mismatchesOf(changes: Record<string, Json>): string[] {
  const found = findMismatches(validate, { title: 'Game', source: { ...GOOD, ...changes } });
  return found.map(({ pointer, found: value, expected }) => `${pointer}: ${value}; ${expected}`);
}

test('accepts every way to name and date builds', () => {
  for (const changes of [
    {},
    {
      git: 'file:///srv/mirror/dumps.git',
      branch: 'release/2.0',
      paths: { '.': 'raw', 'a/b.json': 'c.json' },
    },
    { build: { tag: '^v(.+)$' }, settle_minutes: 0 },
    { build: { file: 'version.json', at: '/version', pattern: 'OS_(\\d+\\.\\d+)' } },
    { build: 'date', released_at: { file: 'version.json', at: '' } },
    { released_at: { subject: '\\((.+)\\)' } },
    { keep: 'references' },
  ]) {
    assert.equal(mismatchesOf(changes), []);
  }
});

const REFUSED: [Record<string, Json>, RegExp][] = [
  [{ git: 'https://user:secret@example.org/a' }, /^\/source\/git: .*without a user name and password/],
  [{ git: '--upload-pack=id' }, /^\/source\/git: /],
  [{ git: 'https://example.org\\@10.0.0.1/a' }, /^\/source\/git: /],
  [{ branch: '--exec=id' }, /^\/source\/branch: .*the name of a branch/],
  [{ paths: { '../a': 'b' } }, /^\/source\/paths\/..~1a: .*a path inside the repository/],
  [{ paths: { a: '/b' } }, /^\/source\/paths\/a: .*a path inside the build's folder/],
  [{ build: 'week' }, /^\/source\/build: the text "week"; "date", or/],
  [{ build: {} }, /^\/source\/build: an object; \{"subject": …\}, \{"tag": …\} or/],
  [{ build: { subject: '(a)', tag: '(b)' } }, /^\/source\/build: an object; \{"subject"/],
  [{ build: { subject: '(a)(b)' } }, /^\/source\/build\/subject: .*one group/],
  [{ build: { file: 'a.json' } }, /^\/source\/build: "file" without "at"/],
  [{ released_at: { tag: '(a)' } }, /(?:^|\n)\/source\/released_at\/tag: "tag"; .*one of subject, file/],
  [{ settle_minutes: -1 }, /^\/source\/settle_minutes: the number -1; a number of minutes/],
];

test('says what is wrong, where, and what was expected', () => {
  for (const [changes, message] of REFUSED) assert.match(mismatchesOf(changes).join('\n'), message);
});

test('patterns take linear time', () => {
  assert.is(captureBy('^(a+)+$|(?:b)'.replace('(a+)+', '((?:a+)+)'))(`${'a'.repeat(100_000)}!`), undefined);
  assert.is(captureBy('v(.+)')('release v1.0'), '1.0');
});

test.run();

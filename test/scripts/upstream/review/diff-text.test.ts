import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffBuilds } from '../../../../scripts/diff/diff-builds.ts';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { renderChanges, renderText } from '../../../../scripts/upstream/review/diff.ts';
import { renderReviews } from '../../../../scripts/upstream/review/review.ts';
import { contentOf } from '../../diff/contents.ts';

const test = suite('rendered diffs');

function renderBoth(before: JsonObject[], after: JsonObject[], datasets: JsonObject = {}) {
  const was = Object.fromEntries(Object.keys(datasets).map((key) => [key, {}]));
  const diff = diffBuilds(
    contentOf(before, was),
    contentOf(after, datasets as Record<string, JsonObject>, '1.1'),
  );
  return { text: renderText(diff), markdown: renderChanges(diff, 50_000).join('\n') };
}

const before = [
  { id: 'ann', name: 'Ann', old: true, stats: { atk: 1200 }, tags: ['a', 'b', 'c'] },
  { id: 'bob', name: 'Bob', region: 'y' },
  { id: 'dee', name: 'Dee', old: false, region: 'z' },
];
const after = [
  { id: 'ann', name: 'Ann', region: 'x', stats: { atk: 1260 }, tags: ['a', 'c', 'd'] },
  { id: 'cid', name: 'Cid' },
  { id: 'dee', name: 'Dee', old: false, region: 'z' },
];

test('text is a patch note, grouped by unit', () => {
  const { text } = renderBoth(before, after, { rates: { ssr: 1 } });
  const expected = `game 1.0 → 1.1

characters: 1 added, 1 removed, 1 changed
+ cid Cid
- bob Bob
~ ann Ann
      stats.atk 1200 → 1260 (+5%)
    - old true
      tags -"b" +"d"
    + region "x"

rates: 1 change
  + ssr 1
`;
  assert.fixture(text, expected);
});

test('no element of a list is left out, whatever its text', () => {
  const { text } = renderBoth(
    [{ id: 'a', name: 'A', tags: ['x', 'constructor'] }],
    [{ id: 'a', name: 'A', tags: ['x', 'toString'] }],
  );
  assert.match(text, 'tags ["x","constructor"] → ["x","toString"]');
});

test('text from data cannot control a terminal or end its code span in Markdown', () => {
  const name = '\u001b[2J\u009b1m`` | <b> @all\u202e\n# x';
  const { text, markdown } = renderBoth([{ id: 'a', name: 'A', x: 1 }], [{ id: 'a', name, x: name }]);
  for (const output of [text, markdown]) assert.not.match(output, /[^\P{Cc}\n]|\p{Cf}/u);
  assert.is(text.split('\n').length, 7);
  assert.match(markdown, '| ```a \\u001b[2J\\u009b1m`` \\| <b> @all\\u202e\\u000a# x``` | `x` | `1` | ```"');
});

test('reviews of many games fit in a comment, which begins with the games of which something is left out', () => {
  const deciding = Array.from({ length: 20 }, (_, at) => `/checks/${at}: nothing → ${'x'.repeat(300)}`);
  const of = { title: 'Game', deciding, findings: [], newGame: undefined, builds: [] };
  const text = renderReviews(Array.from({ length: 150 }, (_, at) => ({ ...of, game: `game-${at}` })));
  assert.ok(text.length < 60_000, String(text.length));
  assert.match(text, /^\*\*\d+ games are not shown, or not all of them\*\*: `game-/);
});

test.run();

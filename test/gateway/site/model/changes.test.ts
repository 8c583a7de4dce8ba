import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { summarizeChanges } from '../../../../gateway/site/model/changes.ts';

const test = suite('the summary of changes');

test('has a direction for what only grew or only fell, whatever else of it changed', () => {
  const level = (at: number, from: number | string, to: number | string, key: string) => ({
    path: `/levels/${at}/${key}`,
    from,
    to,
  });
  const changes = [
    level(0, 'none', 'some', 'grown'),
    level(1, 10, 12, 'grown'),
    level(2, 'a', 'b', 'grown'),
    level(0, 3, 2, 'fallen'),
    level(1, 'a', 'b', 'fallen'),
    level(0, 3, 2, 'mixed'),
    level(1, 'a', 'b', 'mixed'),
    level(2, 2, 3, 'mixed'),
    level(0, 'a', 'b', 'texts'),
  ];
  const summary = summarizeChanges(changes, new Map(), { locale: 'en', lang: '' });
  assert.equal(
    summary.map(({ label, direction }) => `${label} ${direction}`),
    ['Levels · Grown up', 'Levels · Fallen down', 'Levels · Mixed both', 'Levels · Texts none'],
  );
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findNearest, suggestFix } from '../../../../scripts/core/lib/nearest.ts';

const test = suite('nearest');

test('finds the name with the fewest edits, whatever its case', () => {
  assert.is(findNearest('weopon', ['enemies', 'weapons', 'Weapon']), 'Weapon');
});

test('suggests nothing that differs in more than a third of its characters', () => {
  assert.is(findNearest('weapons', ['enemies', 'materials']), undefined);
  assert.is(findNearest('id', ['n', 'xy']), undefined);
  assert.equal(suggestFix('weapons', ['enemies']), {});
});

test('compares no long text, and no more than 5,000 names', () => {
  assert.is(findNearest('a'.repeat(65), ['a'.repeat(65)]), undefined);
  const names = [...Array.from({ length: 5000 }, (_, index) => `other-${index}`), 'weapon'];
  assert.is(findNearest('weapon', names), undefined);
  assert.is(findNearest('weapon', names.slice(-5000)), 'weapon');
});

test.run();

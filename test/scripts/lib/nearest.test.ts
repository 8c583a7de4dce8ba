import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findNearest, listNames, suggestFix } from '../../../scripts/text.ts';

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

test('lists all of a few names, and the nearest ones of many', () => {
  assert.is(listNames('wepons', ['skills', 'weapons']), 'skills, weapons');
  const names = [
    ...Array.from({ length: 40 }, (_, index) => `table_of_others_${index}`),
    'weapon',
    'weapons',
  ];
  assert.match(listNames('wepons', names), /^weapons, weapon, .*, table_of_others_\d and 37 others$/);
});

test.run();

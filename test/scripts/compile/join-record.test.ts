import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joinRecord, NOTHING_MORE } from '../../../scripts/compile/join-record.ts';

const test = suite('joining a record to its roster entry');

test('the record has all of both in canonical order, and both have their id as a text', () => {
  const { entry, record } = joinRecord({ id: 7, rarity: 5 }, { costs: [1] });
  assert.is(JSON.stringify(entry), '{"id":"7","rarity":5}');
  assert.is(JSON.stringify(record), '{"id":"7","costs":[1],"rarity":5}');
});

test('the same two objects are joined once', () => {
  const entry = { id: 'a' };
  const more = { costs: [1] };
  const first = joinRecord(entry, more);
  assert.is(joinRecord(entry, more).record, first.record);
  assert.equal(joinRecord(entry, { costs: [2] }).record, { id: 'a', costs: [2] });
  assert.equal(joinRecord(entry, NOTHING_MORE).record, { id: 'a' });
  assert.equal(joinRecord({ id: 'b' }, more).record, { id: 'b', costs: [1] });
});

test.run();

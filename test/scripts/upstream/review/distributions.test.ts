import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCollections } from '../../../../scripts/upstream/review/collections.ts';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { drawSvg, drawText } from '../../../../scripts/upstream/review/draw.ts';
import { findDistributions } from '../../../../scripts/upstream/review/distributions.ts';

const test = suite('distributions');

function profile(records: JsonObject[]) {
  const characters = records.map((record, index) => JSON.stringify({ id: `c${index}`, ...record }));
  const released_at = '2026-01-01T00:00:00Z';
  return parseCollections({
    game: 'g',
    title: 'G',
    build: '1',
    released_at,
    characters,
    datasets: new Map(),
  });
}

function many(count: number, record: (index: number) => JsonObject) {
  return profile(Array.from({ length: count }, (_, index) => record(index)));
}

test('an attribute whose values moved has a bar for each value, what moved most first', () => {
  const before = many(10, (index) => ({
    rarity: index < 8 ? 4 : 5,
    element: index < 5 ? 'fire' : 'ice',
    hp: 100,
  }));
  const now = many(10, (index) => ({
    rarity: index < 2 ? 4 : 5,
    element: index < 4 ? 'fire' : 'ice',
    hp: 100,
  }));
  const [rarity, element, ...more] = findDistributions(now, before);
  assert.equal(more, []);
  assert.equal(rarity?.bars, [
    { label: '4', now: 0.2, before: 0.8 },
    { label: '5', now: 0.8, before: 0.2 },
  ]);
  assert.equal([rarity?.attribute, element?.attribute], ['rarity', 'element']);
  assert.ok(Math.abs((rarity?.moved ?? 0) - 0.6) < 1e-9);
});

test('many different numbers are counted in ranges, and many different texts not at all', () => {
  const before = many(100, (index) => ({ hp: index, name: `Name ${index}` }));
  const now = many(100, (index) => ({ hp: index * 10, name: `Other ${index}` }));
  const [found, ...more] = findDistributions(now, before);
  assert.equal([found?.attribute, found?.bars.length, more], ['hp', 12, []]);
  assert.is(found?.bars[0]?.label, '0 to 82.5');
  for (const side of ['before', 'now'] as const) {
    const total = found?.bars.reduce((sum, bar) => sum + bar[side], 0) ?? 0;
    assert.ok(Math.abs(total - 1) < 1e-9);
  }
});

test('a new game shows the first attributes of its roster, and few records show nothing', () => {
  const [rarity] = findDistributions(
    many(6, (index) => ({ rarity: index % 2 })),
    undefined,
  );
  assert.equal([rarity?.attribute, rarity?.compared], ['rarity', false]);
  assert.equal(
    findDistributions(
      many(4, (index) => ({ rarity: index % 2 })),
      undefined,
    ),
    [],
  );
});

test('the pictures escape labels', () => {
  const [found] = findDistributions(
    many(6, (index) => ({ '<b>': index < 3 ? '<i>' : '&' })),
    undefined,
  );
  assert.ok(found);
  const { text } = drawSvg(found);
  assert.not.match(text, /<[bi]>/);
  assert.match(text, '&#60;i&#62;');
  assert.equal(drawText(found)[0], '<i> ██████████           50 %');
});

test.run();

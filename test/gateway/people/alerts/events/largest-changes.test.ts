import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findLargestChanges } from '../../../../../gateway/people/alerts/events/largest-changes.ts';
import type { Attribute, AttributeDictionary } from '../../../../../scripts/format/attributes.ts';

const largest = suite('the largest changes of a build');

const DICTIONARY: AttributeDictionary = {
  characters: {
    records: 2,
    attributes: [
      attribute('stats', {}),
      attribute('stats.atk', { label: 'ATK', unit: 'points' }),
      attribute('skin', { kind: 'reference' }),
      attribute('levels', {}),
      attribute('levels.90', {}),
      attribute('levels.90.atk', { label: 'ATK at level 90' }),
      attribute('ranks.cost', { label: 'Cost' }),
    ],
  },
};

function attribute(key: string, more: Partial<Attribute>): Attribute {
  return { key, list: false, count: 1, ...more };
}

function changed(id: string, ...changes: [path: string, from: unknown, to: unknown][]) {
  const made = changes.map(([path, from, to]) => ({ path, from: from as number, to: to as number }));
  return { id, name: id.toUpperCase(), fields: [], changes: made };
}

function changesOf(
  characters: ReturnType<typeof changed>[],
  datasets: Parameters<typeof findLargestChanges>[0][0]['datasets'] = {},
) {
  return { characters: { added: [], removed: [], changed: characters }, datasets };
}

largest('are sorted by their part of the value, with labels and units of the dictionary', () => {
  const changes = changesOf([
    changed('ann', ['/stats/atk', 120, 110], ['/stats/hp', 100_000, 101_000]),
    changed('bob', ['/stats/atk', 100, 0], ['/stats/hp', -10, 10]),
  ]);
  assert.equal(findLargestChanges([changes], DICTIONARY, 20), [
    { collection: 'characters', id: 'bob', name: 'BOB', path: '/stats/hp', from: -10, to: 10 },
    {
      ...{ collection: 'characters', id: 'bob', name: 'BOB', path: '/stats/atk' },
      ...{ label: 'ATK', unit: 'points', from: 100, to: 0 },
    },
    {
      ...{ collection: 'characters', id: 'ann', name: 'ANN', path: '/stats/atk' },
      ...{ label: 'ATK', unit: 'points', from: 120, to: 110 },
    },
    { collection: 'characters', id: 'ann', name: 'ANN', path: '/stats/hp', from: 100_000, to: 101_000 },
  ]);
  assert.is(findLargestChanges([changes], DICTIONARY, 2).length, 2);
  assert.equal(
    findLargestChanges([changes], {}, 20).map(({ label }) => label),
    [undefined, undefined, undefined, undefined],
  );
});

largest('are one for each attribute of a record, wherever in a list it is', () => {
  const changes = changesOf([
    changed('ann', ['/ranks/0/cost', 10, 11], ['/ranks/7/cost', 10, 20], ['/ranks/3/cost', 10, 12]),
    changed('bob', ['/ranks/0/cost', 10, 11], ['/levels/90/atk', 10, 10.5]),
  ]);
  assert.equal(
    findLargestChanges([changes], DICTIONARY, 20).map(({ id, path, label }) => [id, path, label]),
    [
      ['ann', '/ranks/7/cost', 'Cost'],
      ['bob', '/ranks/0/cost', 'Cost'],
      ['bob', '/levels/90/atk', 'ATK at level 90'],
    ],
  );
});

largest('leave out what is no number, and numbers that name something', () => {
  const changes = changesOf([
    changed(
      'ann',
      ['/element', 'Pyro', 'Hydro'],
      ['/skin', 10, 99],
      ['/new', undefined, 5],
      ['/list', [1], [2]],
    ),
  ]);
  assert.equal(findLargestChanges([changes], DICTIONARY, 20), []);
});

largest('include datasets, also those without ids, and count several builds once', () => {
  const datasets = {
    items: { added: [], removed: [], changed: [changed('i', ['/price', 10, 5])] },
    planner: { fields: ['cost'], changes: [{ path: '/cost', from: 160, to: 150 }] },
  };
  const newer = changesOf([changed('ann', ['/stats/atk', 100, 101])], datasets);
  const older = changesOf([changed('ann', ['/stats/atk', 100, 102])]);
  assert.equal(
    findLargestChanges([newer, older], {}, 20).map((each) => [each.collection, each.id, each.from, each.to]),
    [
      ['items', 'i', 10, 5],
      ['planner', undefined, 160, 150],
      ['characters', 'ann', 100, 102],
    ],
  );
});

largest.run();

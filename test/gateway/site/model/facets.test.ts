import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attribute } from '../../../../scripts/format/attributes.ts';
import { columnChoices, usualColumns } from '../../../../gateway/site/model/columns.ts';
import { type FacetRecord, sideFacets } from '../../../../gateway/site/model/facets.ts';

const test = suite('filters and columns of a table');

const many = (count: number) => [...Array(count).keys()].map((at) => ({ value: `v${at}`, count: 1 }));
const FACETS: FacetRecord[] = [
  // What only programs read.
  { id: 'curve.atk', type: 'string', list: false, count: 90, distinct: 2, values: many(2) },
  {
    id: 'element',
    type: 'string',
    list: false,
    count: 90,
    distinct: 2,
    values: [
      { value: 'fire', label: 'Fire', count: 60 },
      { value: 'ice', count: 30 },
    ],
  },
  // Few records have it, and each has its own.
  { id: 'alias', type: 'string', list: false, count: 4, distinct: 4, values: many(4) },
  { id: 'id', type: 'string', list: false, count: 90, distinct: 90 },
  { id: 'limited', type: 'boolean', list: false, count: 4, distinct: 1, values: [{ value: true, count: 4 }] },
  { id: 'name', type: 'string', list: false, count: 90, distinct: 90 },
  { id: 'name_ja', type: 'string', list: false, count: 90, distinct: 40, values: many(40) },
  {
    id: 'rarity',
    type: 'number',
    list: false,
    count: 90,
    distinct: 2,
    min: 4,
    max: 5,
    values: [
      { value: 4, count: 50 },
      { value: 5, count: 40 },
    ],
  },
  { id: 'stats.atk', type: 'number', list: false, count: 90, distinct: 80, min: 10, max: 400 },
  {
    id: 'tags',
    type: 'string',
    list: true,
    count: 90,
    distinct: 60,
    values: many(50),
    rest: { distinct: 10, count: 10 },
  },
  { id: 'title', type: 'string', list: false, count: 45, distinct: 45, values: many(45) },
  { id: 'trust.atk', type: 'number', list: false, count: 90, distinct: 20, min: 0, max: 9, values: many(20) },
  { id: 'world', type: 'string', list: false, count: 90, distinct: 1, values: [{ value: 'one', count: 90 }] },
];
const attribute = (key: string, more: Partial<Attribute> = {}): Attribute => ({
  key,
  list: false,
  count: 90,
  ...more,
});
const ATTRIBUTES = [
  attribute('rarity', { label: 'Rarity', unit: 'stars', description: 'How rare.' }),
  attribute('element'),
  attribute('stats.atk', { label: 'ATK', unit: 'points' }),
  attribute('trust', { label: 'Trust' }),
  attribute('trust.atk', { label: 'ATK' }),
];

test('filters follow the dictionary, and those without groups are left out', () => {
  const side = sideFacets(FACETS, ATTRIBUTES, 90);
  assert.equal(
    side.map(({ key, label, form }) => [key, label, form]),
    [
      ['rarity', 'Rarity', 'choices'],
      ['element', 'Element', 'choices'],
      ['limited', 'Limited', 'choices'],
      ['stats.atk', 'ATK', 'range'],
      ['trust.atk', 'Trust · ATK', 'range'],
    ],
  );
  const [rarity, element, limited, atk] = side;
  assert.equal(rarity?.form === 'choices' && rarity.choices.map(({ value }) => value), ['4', '5']);
  assert.equal(element?.form === 'choices' && element.choices, [
    { value: 'fire', label: 'Fire', count: 60 },
    { value: 'ice', label: 'Ice', count: 30 },
  ]);
  assert.equal(atk?.form === 'range' && [atk.min, atk.max, atk.unit], [10, 400, 'points']);
  assert.equal(limited?.form === 'choices' && limited.choices, [{ value: 'true', label: 'Yes', count: 4 }]);
});

test('what players of most games group by comes first, and what is the same in other words is left out', () => {
  const values = [{ value: 'a', count: 60 }];
  const facet = (id: string): FacetRecord => ({
    id,
    type: 'string',
    list: false,
    count: 90,
    distinct: 2,
    values,
  });
  const described = [
    attribute('gender', { closed: true }),
    attribute('rank_name', { label: 'Rank' }),
    attribute('rank', { label: 'Rank' }),
    attribute('class'),
  ];
  const side = sideFacets(['gender', 'rank_name', 'rank', 'class'].map(facet), described, 90);
  assert.equal(
    side.map(({ key }) => key),
    ['class', 'gender', 'rank_name'],
  );
});

test('a table begins with names, groups and stats that its records have', () => {
  const side = sideFacets(FACETS, ATTRIBUTES, 90);
  const sample = [{ id: 'a', name: 'A', rarity: 5, element: 'fire', stats: { atk: 20 } }];
  assert.equal(usualColumns(side, FACETS, sample), ['name', 'rarity', 'element', 'stats.atk']);
  const base = { ...FACETS[0], id: 'base.atk', list: false } as FacetRecord;
  const before = sideFacets([...FACETS, base], ATTRIBUTES, 90);
  assert.equal(usualColumns(before, [...FACETS, base], []).includes('base.atk'), false);
  const letters = side.map((facet) => (facet.key === 'element' ? { ...facet, label: 'Rarity' } : facet));
  assert.equal(usualColumns(letters, FACETS, sample).slice(0, 3), ['name', 'rarity', 'stats.atk']);
  const described = [
    attribute('weapon', { ref: 'weapons' }),
    attribute('weapon_name'),
    attribute('slot', { kind: 'id' }),
  ];
  const known = new Map(described.map((each) => [each.key, each]));
  const few = ['name', 'weapon_name', 'slot', 'icon_code', 'weapon'].map((id) => ({
    ...FACETS[0],
    id,
    list: false,
  }));
  assert.equal(usualColumns([], few as typeof FACETS, [], known), ['name', 'weapon']);
  const labels = columnChoices(FACETS, ATTRIBUTES, (key) => key.toUpperCase());
  assert.equal(labels.slice(0, 2), [
    { key: 'rarity', label: 'RARITY' },
    { key: 'element', label: 'ELEMENT' },
  ]);
});

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATORS } from '../../../gateway/query/operators.ts';
import type { Attribute } from '../../../scripts/format/attributes.ts';
import {
  attributesOfEntries,
  countAttributes,
  facetsOf,
  filtersOf,
  inAnyLanguage,
  labelledFacetsOf,
  schemaOfRecord,
} from '../../../scripts/types/types.ts';

const test = suite('the schema of records');

const attribute = (key: string, type: Attribute['type'], more: Partial<Attribute> = {}): Attribute => ({
  ...{ key, list: false, count: 2 },
  ...(type && { type }),
  ...more,
});

test('has objects for dotted keys, also where the dictionary lists no object', () => {
  const attributes = [attribute('id', 'string'), attribute('stats.atk', 'number')];
  assert.equal(schemaOfRecord({ attributes }), {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      stats: { type: 'object', required: ['atk'], properties: { atk: { type: 'number' } } },
    },
  });
});

test('allows null where a value is null, also in a closed set', () => {
  const values = [{ value: 'a', count: 1 }];
  const attributes = [
    attribute('kind', 'string', { nullable: true, closed: true, values }),
    attribute('tags', 'string', { nullable: true, list: true, optional: true }),
    attribute('any', 'any', { nullable: true }),
    attribute('none', undefined, { nullable: true, count: 0 }),
  ];
  assert.equal(schemaOfRecord({ attributes }), {
    type: 'object',
    required: ['kind', 'any', 'none'],
    properties: {
      kind: { type: ['string', 'null'], enum: ['a', null] },
      tags: { type: ['array', 'null'], items: { type: ['string', 'null'] } },
      any: {},
      none: {},
    },
  });
});

test('of roster entries has only what they have', () => {
  const attributes = [
    attribute('id', 'string'),
    attribute('stats', 'object'),
    attribute('stats.atk', 'integer'),
    attribute('stats.hp', 'integer'),
    attribute('skills', 'object', { list: true }),
    attribute('skills.name', 'string'),
    attribute('story', 'string'),
  ];
  const entries = [{ id: 'a', stats: { atk: 1 }, skills: [] }, { id: 'b' }];
  const kept = attributesOfEntries({ records: 2, attributes }, countAttributes(entries)).attributes;
  assert.equal(
    kept.map(({ key, optional = false }) => [key, optional]),
    [
      ['id', false],
      ['stats', true],
      ['stats.atk', false],
      ['skills', true],
      ['skills.name', false],
    ],
  );
});

test('has no closed set for a text that has translations', () => {
  const closed: Partial<Attribute> = { closed: true, values: [{ value: 'a', count: 1 }] };
  const attributes = [
    attribute('class', 'string', closed),
    attribute('class_ja', 'string'),
    attribute('rank', 'string', closed),
    attribute('rank_order', 'string'),
  ];
  const found = inAnyLanguage({ records: 2, attributes }, 'en').attributes;
  assert.equal(
    found.filter((each) => each.closed).map(({ key }) => key),
    ['rank'],
  );
});

test('the filters are those of scalars, with the operators of their type', () => {
  const attributes = [
    attribute('stats', 'object'),
    attribute('stats.atk', 'integer'),
    attribute('name', 'string'),
    attribute('mixed', 'any'),
  ];
  const names = facetsOf({ attributes }).map((facet) => filtersOf(facet, OPERATORS).map(({ name }) => name));
  const operators = ['', '[gte]', '[gt]', '[lte]', '[lt]', '[ne]', '[exists]'];
  assert.equal(names, [
    operators.map((operator) => `stats.atk${operator}`),
    ['name', 'name[ne]', 'name[contains]', 'name[exists]'],
  ]);
});

test('filters inside a list of objects have a label, after the innermost list', () => {
  const attributes = [
    attribute('rows', 'object', { list: true }),
    attribute('rows.level', 'integer'),
    attribute('rows.cost', 'integer'),
    attribute('rows.items', 'object', { list: true }),
    attribute('rows.items.id', 'string'),
    attribute('rows.items.count', 'integer'),
    attribute('skins', 'object', { list: true }),
    attribute('skins.name', 'string'),
  ];
  const facets = labelledFacetsOf({ attributes });
  assert.equal(
    facets.map(({ key }) => key),
    ['rows[m].level', 'rows[m].cost', 'rows.items[m].id', 'rows.items[m].count'],
  );
  const [id] = facets.slice(2).flatMap((facet) => filtersOf(facet, OPERATORS));
  assert.match(id?.description ?? '', 'All filters with `rows.items[m]` hold for one element of that list.');
});

test.run();

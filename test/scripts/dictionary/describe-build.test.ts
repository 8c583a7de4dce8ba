import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeCollection, surveyRecords } from '../../../scripts/compile/dictionary.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import type { AttributeDefinitions } from '../../../scripts/read/game-schema.ts';

const test = suite('the attribute dictionary');

function describe(records: JsonObject[], definitions?: AttributeDefinitions, name = 'characters') {
  const { attributes } = describeCollection(surveyRecords(records), definitions, name);
  return Object.fromEntries(attributes.map(({ key, ...rest }) => [key, rest]));
}

test('shows the type, the coverage and the range of numbers, from the data alone', () => {
  const { atk, ratio } = describe([{ atk: 5, ratio: 1 }, { atk: null, ratio: 0.5 }, { ratio: 2 }]);
  assert.equal(atk, {
    kind: 'number',
    type: 'integer',
    list: false,
    optional: true,
    nullable: true,
    count: 1,
    distinct: 1,
    min: 5,
    max: 5,
    values: [{ value: 5, count: 1 }],
  });
  assert.equal([ratio?.type, ratio?.min, ratio?.max], ['number', 0.5, 2]);
  const { n } = describe(Array.from({ length: 150_000 }, (_, index) => ({ n: index })));
  assert.equal([n?.min, n?.max], [0, 149_999]);
});

test('lists few values with the number of records that have each, and examples of many', () => {
  const records = Array.from({ length: 60 }, (_, index) => ({
    element: index % 3 === 0 ? 'Pyro' : 'Hydro',
    title: `Title ${index}`,
    prose: 'x'.repeat(200),
  }));
  const { element, title, prose } = describe(records);
  assert.equal(element?.values, [
    { value: 'Hydro', count: 40 },
    { value: 'Pyro', count: 20 },
  ]);
  assert.equal([title?.values, title?.distinct], [undefined, 60]);
  assert.equal(title?.examples, ['Title 0', 'Title 1', 'Title 2']);
  assert.equal([prose?.values, prose?.examples], [undefined, undefined]);
});

test('reaches into objects and into lists of objects, and counts each record once', () => {
  const attributes = describeCollection(
    surveyRecords([
      { costs: [{ item: 'a' }, { item: 'b', count: 2 }, { item: 'a' }], tags: ['x', 'x'], stats: { atk: 1 } },
      { costs: [], tags: [], stats: {} },
    ]),
    undefined,
    'characters',
  ).attributes;
  assert.equal(
    attributes.map(({ key, type, list, count, optional }) => [key, type, list, count, optional]),
    [
      ['costs', 'object', true, 1, undefined],
      ['costs.count', 'integer', false, 1, true],
      ['costs.item', 'string', false, 1, undefined],
      ['stats', 'object', false, 2, undefined],
      ['stats.atk', 'integer', false, 1, true],
      ['tags', 'string', true, 1, undefined],
    ],
  );
  assert.equal(attributes[2]?.values, [
    { value: 'a', count: 1 },
    { value: 'b', count: 1 },
  ]);
});

test('takes what game.json says: of the key, of a pattern, or of all lists', () => {
  const definitions: AttributeDefinitions = {
    '*': { name_ja: { description: 'The Japanese name.' }, id: { description: 'The id.' } },
    characters: {
      id: { label: 'Id' },
      'levels.*.atk': { description: 'The attack.' },
      'levels.90.atk': { description: 'The attack at the end.' },
    },
  };
  const record = { id: 'a', name_ja: 'ア', levels: { 1: { atk: 1 }, 90: { atk: 9 } } };
  const attributes = describe([record], definitions);
  assert.is(attributes.name_ja?.description, 'The Japanese name.');
  assert.equal([attributes.id?.label, attributes.id?.description], ['Id', undefined]);
  assert.is(attributes['levels.1.atk']?.description, 'The attack.');
  assert.is(attributes['levels.90.atk']?.description, 'The attack at the end.');
  assert.is(describe([record], definitions, 'toString').id?.description, 'The id.');
});

test('labels the values of a closed set, and lists only those that the build has', () => {
  const definitions: AttributeDefinitions = {
    characters: {
      class: { values: { 1: 'Saber', 2: { label: 'Archer', label_ja: 'アーチャー' }, 3: 'Secret' } },
      rarity: { values: [4, 5] },
    },
  };
  const attributes = describe(
    [
      { class: 2, rarity: 5 },
      { class: 1, rarity: 5 },
    ],
    definitions,
  );
  assert.equal(attributes.class?.values, [
    { value: 1, label: 'Saber', count: 1 },
    { value: 2, label: 'Archer', label_ja: 'アーチャー', count: 1 },
  ]);
  assert.is(attributes.class?.closed, true);
  assert.equal(attributes.rarity?.values, [{ value: 5, count: 2 }]);
});

test('an attribute without any value has no type, one of several types has the type "any"', () => {
  const attributes = describe([{ gone: null, list: [], mixed: [{ a: 1 }, { a: 'x' }], deep: [[1]] }]);
  assert.equal(attributes.gone, { list: false, nullable: true, count: 0 });
  assert.equal(attributes.list, { list: true, count: 0 });
  assert.equal([attributes['mixed.a']?.type, attributes.deep?.type], ['any', 'any']);
});

test.run();

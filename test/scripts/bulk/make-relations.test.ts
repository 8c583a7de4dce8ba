import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeRelations } from '../../../scripts/bulk/database.ts';
import type { Attribute, AttributeDictionary } from '../../../scripts/format/attributes.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';

const relations = suite('the tables of a database');

function contentOf(
  characters: JsonObject[],
  datasets: { [key: string]: JsonObject[] | JsonObject } = {},
): BuildContent {
  const write = (value: JsonObject[] | JsonObject) =>
    Array.isArray(value)
      ? { kind: 'list' as const, records: value.map((record) => JSON.stringify(record)) }
      : { kind: 'object' as const, text: `${JSON.stringify(value)}\n` };
  return {
    ...{ game: 'saga', title: 'Saga', build: '1.0', released_at: '2026-01-01T00:00:00Z' },
    characters: characters.map((record) => JSON.stringify(record)),
    datasets: new Map(Object.entries(datasets).map(([key, value]) => [key, write(value)])),
  };
}

function dictionaryOf(references: { [collection: string]: { [key: string]: string } }): AttributeDictionary {
  const attribute = ([key, ref]: [string, string]): Attribute => ({ key, ref, list: false, count: 1 });
  return Object.fromEntries(
    Object.entries(references).map(([collection, refs]) => [
      collection,
      { records: 1, attributes: Object.entries(refs).map(attribute) },
    ]),
  );
}

/** A table as text: its columns with their types and references, then its rows. */
function show(content: BuildContent, dictionary: AttributeDictionary, name: string, language?: string) {
  const found = makeRelations(content, dictionary, language).find((relation) => relation.name === name);
  if (found === undefined) return undefined;
  const columns = found.columns.map(({ name, type, references }) =>
    [name, type, ...(references ? [`${references.table}.${references.column}`] : [])].join(' '),
  );
  const rows = found.columns[0]?.values.map((_, row) => found.columns.map(({ values }) => values[row]));
  return { columns, key: found.key, rows };
}

relations('have a column for each attribute, with the narrowest type', () => {
  const content = contentOf([
    { id: 'a', n: 1, big: 2 ** 40, ratio: 0.5, yes: true, stats: { atk: 3 }, tags: ['x'], any: 1 },
    { id: 'b', n: null, big: 1, ratio: 2, yes: false, any: 'two' },
  ]);
  assert.equal(show(content, {}, 'characters'), {
    columns: [
      ...['any TEXT', 'big INTEGER', 'id TEXT', 'n INTEGER', 'ratio REAL', 'stats.atk INTEGER', 'tags TEXT'],
      'yes INTEGER',
    ],
    key: ['id'],
    rows: [
      ['1', 2 ** 40, 'a', 1, 0.5, 3, '["x"]', 1],
      ['"two"', 1, 'b', null, 2, null, null, 0],
    ],
  });
  assert.equal(show(content, {}, 'snapshot')?.rows, [['saga', 'Saga', '1.0', '2026-01-01T00:00:00Z']]);
});

relations('have foreign keys where every value is the id of a record', () => {
  const dictionary = dictionaryOf({ characters: { weapon: 'weapons', rival: 'characters', home: 'places' } });
  const content = contentOf(
    [
      { id: 'a', weapon: 'w', rival: 'b', home: 'p' },
      { id: 'b', weapon: null, rival: 'nobody' },
    ],
    { weapons: [{ id: 'w' }], places: [{ id: 1 }] },
  );
  assert.equal(show(content, dictionary, 'characters')?.columns, [
    ...['weapon TEXT weapons.id', 'rival TEXT', 'home TEXT', 'id TEXT'],
  ]);
  assert.equal(show(content, dictionary, 'places')?.columns, ['id INTEGER']);
});

relations('have a table for references inside lists', () => {
  const dictionary = dictionaryOf({
    characters: { friends: 'characters', 'costs.items.id': 'items' },
    planner: { best: 'characters' },
  });
  const content = contentOf(
    [
      { id: 'a', friends: ['b', 'a'], costs: [{ items: [{ id: 2 }, { id: 1 }] }, { items: [{ id: 2 }] }] },
      { id: 'b', friends: [] },
    ],
    { items: [{ id: 1 }, { id: 2 }], planner: { best: ['b', 'gone'] } },
  );
  assert.equal(show(content, dictionary, 'characters.friends'), {
    columns: ['id TEXT characters.id', 'position INTEGER', 'ref TEXT characters.id'],
    key: ['id', 'position'],
    rows: [
      ['a', 1, 'b'],
      ['a', 2, 'a'],
    ],
  });
  assert.equal(show(content, dictionary, 'characters.costs.items.id'), {
    columns: ['id TEXT characters.id', 'position INTEGER', 'ref INTEGER items.id'],
    key: ['id', 'position'],
    rows: [
      ['a', 1, 2],
      ['a', 2, 1],
      ['a', 3, 2],
    ],
  });
  // A record without an id is known by its place; a reference to nothing is no foreign key.
  assert.equal(show(content, dictionary, 'planner.best'), {
    columns: ['row INTEGER', 'position INTEGER', 'ref TEXT'],
    key: ['row', 'position'],
    rows: [
      [1, 1, 'b'],
      [1, 2, 'gone'],
    ],
  });
});

relations('have the names in every language', () => {
  const content = contentOf(
    [
      { id: 'a', name: 'Hu Tao', name_ja: '胡桃', name_zh_cn: '胡桃', name_length: 6, names: 'x' },
      { id: 'b', name: 'B' },
    ],
    { items: [{ id: 7, name: 'Mora' }], planner: { name: 'none' } },
  );
  const rows = (own: string) => [
    ['characters', 'a', 'ja', '胡桃'],
    ['characters', 'a', 'zh_cn', '胡桃'],
    ['characters', 'a', own, 'Hu Tao'],
    ['characters', 'b', own, 'B'],
    ['items', '7', own, 'Mora'],
  ];
  const sorted = (language?: string) => show(content, {}, 'names', language)?.rows?.map(String).sort();
  assert.equal(sorted('en'), rows('en').map(String).sort());
  assert.equal(sorted(), rows('und').map(String).sort());
});

relations.run();

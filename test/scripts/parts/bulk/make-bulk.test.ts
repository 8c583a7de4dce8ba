import { strFromU8, unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeBulk } from '../../../../scripts/parts/bulk/make-bulk.ts';
import type { BuildContent } from '../../../../scripts/core/format/build-content.ts';

const bulk = suite('builds in other formats');

const CONTENT: BuildContent = {
  ...{ game: 'saga', title: 'Saga', build: '1.0', released_at: '2026-01-01T00:00:00Z' },
  characters: [
    '{"id":"a","name":"=1+1","stats":{"atk":12,"hp":0.5},"tags":["x|y","z"],"skills":[{"id":"s"}],"note":""}',
    '{"id":"b","name":"say \\"hi\\", b","stats":{"atk":-3},"tags":[],"extra":null}',
  ],
  datasets: new Map([
    ['costs', { kind: 'list', records: ['{"n":1}', '{"n":2}'] }],
    ['empty', { kind: 'list', records: [] }],
    ['planner', { kind: 'object', text: '{"cost":160}\n' }],
  ]),
};
const attribute = (key: string) => ({ key, list: false, count: 1 });
const DICTIONARY = { characters: { records: 2, attributes: ['id', 'stats.atk', 'name'].map(attribute) } };

function unzip(format: 'ndjson' | 'csv' | 'parquet') {
  const files = unzipSync(makeBulk(CONTENT, DICTIONARY, format).zip);
  return new Map(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]));
}

bulk('have a file for each collection, and what they are', () => {
  const files = unzip('ndjson');
  assert.equal(
    [...files.keys()],
    ['build.json', 'characters.ndjson', 'costs.ndjson', 'empty.ndjson', 'planner.ndjson'],
  );
  assert.equal(JSON.parse(files.get('build.json') ?? ''), {
    ...{ game: 'saga', title: 'Saga', build: '1.0', released_at: '2026-01-01T00:00:00Z' },
  });
  assert.is(files.get('characters.ndjson'), `${CONTENT.characters.join('\n')}\n`);
  assert.is(files.get('planner.ndjson'), '{"cost":160}\n');
  assert.is(files.get('empty.ndjson'), '');
});

bulk('have their columns in the order of the dictionary, and texts as they are', () => {
  const files = unzip('csv');
  assert.is(
    files.get('characters.csv'),
    [
      'id,stats.atk,name,extra,note,skills,stats.hp,tags',
      'a,12,=1+1,,"","[{""id"":""s""}]",0.5,x\\|y|z',
      'b,-3,"say ""hi"", b",,,,,',
      '',
    ].join('\r\n'),
  );
  assert.is(files.get('costs.csv'), 'n\r\n1\r\n2\r\n');
  assert.is(files.get('planner.csv'), 'cost\r\n160\r\n');
});

bulk('have the same files on their own, except those without records', () => {
  for (const format of ['ndjson', 'csv', 'parquet'] as const) {
    const { zip, collections } = makeBulk(CONTENT, DICTIONARY, format);
    const files = unzipSync(zip);
    assert.equal([...collections.keys()], ['characters', 'costs', 'planner']);
    for (const [key, bytes] of collections) assert.equal(bytes, files[`${key}.${format}`]);
  }
});

bulk('have no Parquet file for a collection without attributes', () => {
  assert.equal(
    [...unzip('parquet').keys()],
    ['build.json', 'characters.parquet', 'costs.parquet', 'planner.parquet'],
  );
});

bulk('are equal bytes for equal builds', () => {
  for (const format of ['ndjson', 'csv', 'parquet'] as const)
    assert.equal(
      makeBulk(CONTENT, DICTIONARY, format),
      makeBulk(structuredClone(CONTENT), DICTIONARY, format),
    );
});

bulk.run();

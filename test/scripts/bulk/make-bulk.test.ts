import { createHash } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeBulk } from '../../../scripts/bulk/tables.ts';
import { compressBrotli } from '../../../scripts/dist/plan.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';

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

async function unzip(format: 'ndjson' | 'csv' | 'parquet') {
  const files = unzipSync((await makeBulk(CONTENT, DICTIONARY, format)).zip);
  return new Map(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]));
}

bulk('have a file for each collection, and what they are', async () => {
  const files = await unzip('ndjson');
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

bulk('have their columns in the order of the dictionary, and texts as they are', async () => {
  const files = await unzip('csv');
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

bulk('have the same files on their own, except those without records', async () => {
  for (const format of ['ndjson', 'csv', 'parquet'] as const) {
    const { zip, collections } = await makeBulk(CONTENT, DICTIONARY, format);
    const files = unzipSync(zip);
    assert.equal([...collections.keys()], ['characters', 'costs', 'planner']);
    for (const [key, { bytes }] of collections) assert.equal(bytes, files[`${key}.${format}`]);
  }
});

bulk('have no Parquet file for a collection without attributes', async () => {
  assert.equal(
    [...(await unzip('parquet')).keys()],
    ['build.json', 'characters.parquet', 'costs.parquet', 'planner.parquet'],
  );
});

bulk('are equal bytes for equal builds', async () => {
  for (const format of ['ndjson', 'csv', 'parquet'] as const)
    assert.equal(
      await makeBulk(CONTENT, DICTIONARY, format),
      await makeBulk(structuredClone(CONTENT), DICTIONARY, format),
    );
});

/** A change of these hashes changes the zips and compressed files of all builds: a new release of Node.js can cause it. */
const SHA256 = {
  zip: 'ae86a52ae177e0dcc3429a0618895dcb91d361626c60a95c641ecd336c269df4',
  brotli: '8ddd06e0aedf4b8f4d304573989c647753f36ce794b6ffedabadcf3ea2bb92c5',
};

bulk('are the same compressed bytes with each version of Node.js', async () => {
  let number = 1;
  const next = () => {
    number = (number * 48_271) % 2_147_483_647;
    return number % 5000;
  };
  const characters = Array.from(
    { length: 3000 },
    (_, at) => `{"id":"u${at}","name":"Unit ${next()}","stats":{"atk":${next()},"hp":${next()}}}`,
  );
  const { zip, collections } = await makeBulk({ ...CONTENT, characters }, DICTIONARY, 'ndjson');
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const brotli = await compressBrotli(collections.get('characters')?.bytes ?? zip);
  assert.equal({ zip: hash(zip), brotli: hash(brotli) }, SHA256);
});

bulk('share the files of what did not change, unless the columns of a table have another order', async () => {
  const next = { ...CONTENT, build: '1.1', characters: CONTENT.characters.slice(1) };
  const { collections } = await makeBulk(CONTENT, DICTIONARY, 'csv');
  const after = await makeBulk(next, DICTIONARY, 'csv');
  assert.is(after.collections.get('costs'), collections.get('costs'));
  assert.is.not(after.collections.get('characters'), collections.get('characters'));
  const { collections: reordered } = await makeBulk(CONTENT, {}, 'csv');
  assert.is.not(reordered.get('characters'), collections.get('characters'));
  assert.match(strFromU8(reordered.get('characters')?.bytes ?? new Uint8Array()), /^extra,id,/);
});

bulk.run();

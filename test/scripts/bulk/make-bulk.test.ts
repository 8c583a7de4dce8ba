import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectionsOf, makeBulk } from '../../../scripts/bulk/tables.ts';
import { compressBrotli } from '../../../scripts/dist/stage.ts';
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
  const content = { ...CONTENT, characters };
  const { zip, collections } = await makeBulk(content, collectionsOf(content, DICTIONARY), 'ndjson');
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const brotli = await compressBrotli(collections.get('characters')?.bytes ?? zip);
  assert.equal({ zip: hash(zip), brotli: hash(brotli) }, SHA256);
});

bulk.run();

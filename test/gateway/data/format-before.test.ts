import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  encodeList,
  type FileRef,
  type Index,
  type Manifest,
  type Snapshot,
} from '../../../scripts/format/dist-format.ts';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { OVER_TIME } from '../../support/over-time.ts';

const test = suite('a dist/ of format 3');

/** Makes a dist/ what format 3 was: the lists of all builds are files. */
async function makeFormat3(dist: string): Promise<void> {
  const read = async <T>(file: string) => JSON.parse(await readFile(path.join(dist, file), 'utf8')) as T;
  const index = await read<Index>('index.json');
  for (const game of index.games) {
    const manifest = await read<Manifest>(game.manifest.file);
    const past = manifest.builds.filter(({ in_snapshot }) => in_snapshot);
    assert.is(past.length, manifest.builds.length - 1);
    for (const entry of past) {
      const bytes = gunzipSync(await readFile(path.join(dist, entry.snapshot.gzip.file)));
      const { characters, datasets }: Snapshot = JSON.parse(bytes.toString());
      await write(dist, entry.characters, encodeList(characters));
      for (const ref of entry.datasets) {
        const data = datasets[ref.key];
        await write(dist, ref, Array.isArray(data) ? encodeList(data) : `${JSON.stringify(data)}\n`);
      }
      delete entry.in_snapshot;
      if (entry.roster.gzip === undefined) continue;
      const roster = gunzipSync(await readFile(path.join(dist, entry.roster.gzip.file)));
      await write(dist, entry.roster, roster.toString());
      delete entry.roster.gzip;
    }
    const text = JSON.stringify(manifest);
    Object.assign(game.manifest, { bytes: Buffer.byteLength(text), sha256: sha256Of(text) });
    await writeFile(path.join(dist, game.manifest.file), text);
  }
  await writeFile(path.join(dist, 'index.json'), JSON.stringify({ ...index, format: 3 }));
}

async function write(dist: string, { file, bytes, sha256 }: FileRef, text: string): Promise<void> {
  assert.equal([Buffer.byteLength(text), sha256Of(text)], [bytes, sha256], file);
  await writeFile(path.join(dist, file), text);
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const BUILDS = ['1.0', '1.1', '1.2', '1.3', '2.0'];
const TARGETS = [
  ...['games', 'saga/characters', 'saga/characters/ann', 'saga/items', 'saga/pull_planner', 'saga/facets'],
  ...['saga/attributes', 'saga/names', 'saga/history', 'saga/compare?ids=ann,cy', 'search?q=an'],
  ...['ann', 'bob', 'cy', 'secret'].flatMap((id) => [
    `saga/history/${id}`,
    `saga/history/${id}/series?fields=name,stats.atk,title`,
  ]),
  ...BUILDS.map((build) => `saga/snapshot/${build}`),
  ...BUILDS.flatMap((from) => BUILDS.map((to) => `saga/diff?from=${from}&to=${to}`)),
];

/** The form of a diff as a JSON Patch. */
const PATCH = 'application/json-patch+json';
/** How many targets a free key asks for, which may send ten requests in a minute. */
const FREE_TARGETS = 8;

type Response = [status: number, etag: string | null, text: string];

/** All responses: their status, ETag and text. */
async function askAll({ ask, keys }: TestGateway): Promise<Map<string, Response>> {
  const responses = new Map<string, Response>();
  const add = async (target: string, key: string, accept: string) => {
    const { status, headers, text } = await ask(`/api/${target}`, { key, headers: { accept } });
    const tier = key === keys.free ? 'free' : 'pro';
    responses.set(`${tier} ${target} ${accept}`, [status, headers.get('etag'), text]);
  };
  for (const target of TARGETS.slice(0, FREE_TARGETS)) await add(target, keys.free, '*/*');
  for (const target of TARGETS) await add(target, keys.pro, '*/*');
  for (const target of TARGETS.filter((each) => each.includes('diff'))) await add(target, keys.pro, PATCH);
  return responses;
}

const DAY = 86_400_000;
/** When 1.3 is current, when 2.0 is current for Pro only, and when it is for all. */
const TIMES = [NOON, Date.parse('2026-07-01T12:00:00Z'), Date.parse('2026-07-01T12:00:00Z') + DAY];

for (const now of TIMES)
  test(`is served as one of format 4, byte for byte, on ${new Date(now).toISOString()}`, async () => {
    const gateways = await Promise.all([
      startGateway(OVER_TIME, { start: now }),
      startGateway(OVER_TIME, { start: now, prepare: makeFormat3 }),
    ]);
    try {
      const [current, before] = await Promise.all(gateways.map(askAll));
      assert.equal(before, current);
      const successes = [...(current?.values() ?? [])].filter(([status]) => status === 200);
      assert.ok(successes.length > TARGETS.length);
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    }
  });

test.run();

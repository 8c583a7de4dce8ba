import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Index } from '../../../scripts/format/dist-format.ts';
import type { Files } from '../../support/fixtures.ts';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const test = suite('a gateway that starts with damaged files');

const day = (days: number) => new Date(NOON + days * 86_400_000).toISOString();
/** Builds of a game; each is named like its position, and has a character of this name. */
function gameOf(slug: string, ...releases: number[]): Files {
  const builds = releases.map((release, at) => [
    [`${slug}/${at}.0/build.json`, { released_at: day(release) }],
    [`${slug}/${at}.0/characters.json`, [{ id: 'a', name: `Ann ${at}` }]],
  ]);
  const planner = { [`${slug}/0.0/pull_planner.json`]: { cost: 160 } };
  return { [`${slug}/game.json`]: { title: slug }, ...planner, ...Object.fromEntries(builds.flat()) };
}

/** Changes a byte of the files of a game whose text matches. @returns what restores them */
async function damage(dist: string, slug: string, pattern: RegExp): Promise<() => Promise<void>> {
  const changed: [string, Buffer][] = [];
  for (const name of await readdir(path.join(dist, slug))) {
    const file = path.join(dist, slug, name);
    const content = await readFile(file);
    if (!pattern.test(`${name} ${name.endsWith('.gz') ? gunzipSync(content) : content}`)) continue;
    changed.push([file, content]);
    await writeFile(file, Buffer.concat([content.subarray(1), Buffer.from(' ')]));
  }
  assert.ok(changed.length > 0);
  return async () => {
    for (const [file, content] of changed) await writeFile(file, content);
  };
}

/** Starts a gateway on a whole game and one that is damaged. */
async function withDamage(
  files: Files,
  pattern: RegExp,
  work: (gateway: TestGateway, restore: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let restore = async () => {};
  const prepare = async (dist: string) => {
    restore = await damage(dist, 'saga', pattern);
  };
  const gateway = await startGateway({ ...gameOf('mini', -9), ...files }, { prepare });
  await work(gateway, restore);
}

const ROSTER = (build: number) => new RegExp(`^(characters|snapshot)\\.\\S+ .*Ann ${build}`, 's');

async function slugsOf(gateway: TestGateway): Promise<string[]> {
  const { json } = await gateway.ask('/api/games');
  return json<{ games: { slug: string }[] }>().games.map(({ slug }) => slug);
}

async function page({ address }: TestGateway, target: string): Promise<string> {
  return await (await fetch(address + target)).text();
}

test('refuses requests for a game whose only build is damaged with 503, until it is whole', async () => {
  await withDamage(gameOf('saga', -9), ROSTER(0), async (gateway, restore) => {
    assert.equal(await slugsOf(gateway), ['mini']);
    for (const target of ['/api/saga/characters', '/api/saga/history', '/api/search?q=a&games=saga']) {
      const { status, headers } = await gateway.ask(target);
      assert.is(status, 503, target);
      assert.is(headers.get('retry-after'), '5');
    }
    assert.is((await gateway.ask('/api/sage/characters')).status, 404);
    assert.is((await gateway.ask('/api/mini/characters')).status, 200);
    assert.is((await gateway.ask('/readyz')).status, 200);
    assert.match(await page(gateway, '/games'), 'The list is not complete');
    assert.match(await page(gateway, '/games/saga'), 'cannot be read right now');
    assert.match(
      gateway.follower.degraded[0]?.problem ?? '',
      /is damaged .*; requests for this game get 503$/,
    );
    await restore();
    await until(async () => (await gateway.ask('/api/saga/characters')).status === 200);
    assert.equal(gateway.follower.degraded, []);
  });
});

test('says that a game without its manifest is not served', async () => {
  await withDamage(gameOf('saga', -9), /^manifest/, async (gateway) => {
    assert.is((await gateway.ask('/api/saga/characters')).status, 404);
    assert.match(gateway.follower.degraded[0]?.problem ?? '', /; this game is not served$/);
  });
});

test('serves the build before a damaged one', async () => {
  await withDamage(gameOf('saga', -9, -5), ROSTER(1), async (gateway, restore) => {
    const { headers, text } = await gateway.ask('/api/saga/characters');
    assert.is(headers.get('game-build'), '0.0');
    assert.match(text, 'Ann 0');
    assert.is((await gateway.ask('/api/saga/snapshot/0.0')).status, 200);
    assert.match(gateway.follower.degraded[0]?.problem ?? '', /; build 0\.0 is served$/);
    await restore();
    await until(async () => (await gateway.ask('/api/saga/characters')).text.includes('Ann 1'));
  });
});

test('a damaged build of which nobody may know yet changes nothing', async () => {
  await withDamage(gameOf('saga', 5), ROSTER(0), async (gateway) => {
    assert.is((await gateway.ask('/api/saga/characters')).status, 404);
    gateway.clock.now = NOON + 6 * 86_400_000;
    assert.is((await gateway.ask('/api/saga/characters')).status, 503);
  });
});

test('a damaged build after one that comes due is reported once', async () => {
  await withDamage(gameOf('saga', -9, 5, 9), ROSTER(2), async ({ clock, follower, logged }) => {
    const { now } = performance;
    let skipped = 0;
    performance.now = () => now.call(performance) + skipped;
    const catalogs = new Set([follower.catalog]);
    clock.now = NOON + 6 * 86_400_000;
    for (; skipped < 20_000; skipped += 4000) catalogs.add(await follower.loadNewest());
    performance.now = now;
    assert.is(catalogs.size, 2);
    assert.is(logged.filter((line) => line.includes('a game cannot be loaded')).length, 1);
  });
});

test('a game with more than 256 MiB of records is refused, and the others start', async () => {
  const claim = async (dist: string) => {
    const file = path.join(dist, 'index.json');
    const index = JSON.parse(await readFile(file, 'utf8')) as Index;
    const { manifest } = index.games.find(({ slug }) => slug === 'saga') as Index['games'][number];
    const manifestFile = path.join(dist, manifest.file);
    const text = (await readFile(manifestFile, 'utf8')).replace(/"bytes": ?\d+/g, '"bytes":300000000');
    await writeFile(manifestFile, text);
    Object.assign(manifest, { bytes: text.length, sha256: hash('sha256', text) });
    await writeFile(file, JSON.stringify(index));
  };
  const gateway = await startGateway({ ...gameOf('mini', -9), ...gameOf('saga', -9) }, { prepare: claim });
  assert.is((await gateway.ask('/api/saga/characters')).status, 503);
  assert.is((await gateway.ask('/api/mini/characters')).status, 200);
});

test('a pipe in the place of a file counts as damaged', async () => {
  const prepare = async (dist: string) => {
    for (const name of await readdir(path.join(dist, 'saga'))) {
      if (!name.startsWith('characters.')) continue;
      await rm(path.join(dist, 'saga', name));
      execFileSync('mkfifo', [path.join(dist, 'saga', name)]);
    }
  };
  const gateway = await startGateway({ ...gameOf('mini', -9), ...gameOf('saga', -9) }, { prepare });
  assert.is((await gateway.ask('/api/saga/characters')).status, 503);
  assert.is((await gateway.ask('/api/mini/characters')).status, 200);
});

test.run();

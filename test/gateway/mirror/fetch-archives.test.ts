import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Catalog, loadCatalog } from '../../../gateway/data/catalog.ts';
import { DegradedParts, DistFiles } from '../../../gateway/data/dist-files.ts';
import { namedFiles } from '../../../gateway/data/follow-dist.ts';
import { readIndex, readManifest } from '../../../gateway/data/dist-folder.ts';
import { loadedFilesOf } from '../../../gateway/data/game-build.ts';
import { firstServed } from '../../../gateway/data/load-game.ts';
import type { DistMirror } from '../../../gateway/mirror/dist-mirror.ts';
import { SourceFileError } from '../../../gateway/mirror/dist-source.ts';
import { ArchiveFetcher } from '../../../gateway/mirror/fetch-archives.ts';
import { mirrorDist } from '../../../gateway/mirror/mirror-dist.ts';
import type { BuildEntry, FileRef } from '../../../scripts/format/dist-format.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { NOON } from '../../support/harness.ts';
import { OVER_TIME } from '../../support/over-time.ts';
import { QUIET } from '../../support/quiet.ts';
import { until } from '../../support/until.ts';

interface Context {
  root: string;
  dist: string;
  cache: string;
  /** Whether the source lets files of past builds be read. */
  isOpen: boolean;
  /** The files that were read from the source. */
  read: string[];
  catalog: Catalog | undefined;
  mirror: DistMirror | undefined;
  start(): Promise<DistMirror>;
}

const test = suite<Context>('the start of a copy');
test.before.each(async (context) => {
  const root = await mkdtemp(path.join(tmpdir(), 'archives-'));
  const [dist, cache] = [path.join(root, 'dist'), path.join(root, 'cache')];
  await buildGames(OVER_TIME, dist);
  const [game] = (await readIndex(dist)).games;
  const { builds } = await readManifest(dist, game?.manifest as FileRef);
  const loaded = new Set(
    builds
      .slice(firstServed(builds, NOON))
      .flatMap(loadedFilesOf)
      .map(({ file }) => file),
  );
  Object.assign(context, { root, dist, cache, isOpen: false, read: [], catalog: undefined });
  const source = {
    name: 'source',
    read: async (file: string) => {
      context.read.push(file);
      const isFirst = /index|manifest|published/.test(file) || loaded.has(file);
      if (!context.isOpen && !isFirst && /snapshot|diff|history|timeline/.test(file))
        throw new SourceFileError(`${file} cannot be read now`);
      return await readFile(path.join(dist, file)).catch(() => {
        throw new SourceFileError(`no ${file}`, true);
      });
    },
  };
  context.start = async () => {
    context.mirror = await mirrorDist(source, cache, {
      tryState: async (index) => {
        context.catalog = await loadCatalog(cache, index, { now: NOON, previous: undefined });
        return context.catalog.failures;
      },
      log: QUIET,
      interval: 10_000,
      servedAt: NOON,
    });
    return context.mirror;
  };
});
test.after.each(async ({ root, mirror }) => {
  mirror?.close();
  // A file that was being fetched may still be written.
  await rm(root, { recursive: true, maxRetries: 10 });
});

function loadedNow(catalog: Catalog | undefined): Set<string> {
  const builds = (catalog?.loaded ?? []).map((game) => game.builds.at(-1) as BuildEntry);
  return new Set(builds.flatMap(loadedFilesOf).map(({ file }) => file));
}

const filesIn = async (folder: string) =>
  (await readdir(path.join(folder, 'saga')))
    .filter((name) => !name.endsWith('.tmp'))
    .map((name) => `saga/${name}`)
    .sort();

test('fetches what is loaded into memory, and nothing of past builds', async (context) => {
  await context.start();
  assert.is(context.catalog?.failures.size, 0);
  const present = await filesIn(context.cache);
  const loaded = loadedNow(context.catalog);
  assert.equal(
    present.filter((file) => !file.includes('manifest') && !loaded.has(file)),
    [],
  );
  assert.is(present.length, loaded.size + 1);
});

test('fetches the rest in the background, and remembers that the game was compared', async (context) => {
  context.isOpen = true;
  await context.start();
  const all = await filesIn(context.dist);
  await until(async () => (await filesIn(context.cache)).length === all.length);
  assert.equal(await filesIn(context.cache), all);
  await until(async () => (await readdir(context.cache)).includes('.compared.json'));
  context.mirror?.close();
  context.read.length = 0;
  await context.start();
  assert.equal(
    context.read.filter((file) => file.startsWith('saga/')),
    [],
  );
});

test('fetches a file of a past build for the request that needs it', async (context) => {
  const mirror = await context.start();
  mirror.close();
  let calls = 0;
  const catalog = context.catalog as Catalog;
  const ref = [...namedFiles(catalog).values()].find(({ file }) => file.endsWith('.br'));
  assert.ok(ref);
  const files = new DistFiles({
    folder: context.cache,
    log: QUIET,
    degraded: new DegradedParts(() => 0),
    isNamed: async () => true,
    refetch(missing) {
      calls++;
      return mirror.refetch(missing);
    },
  });
  assert.is(await files.fetchIfMissing(ref), false, 'the source does not give it');
  context.isOpen = true;
  const [one, other] = await Promise.all([files.open(ref), files.open(ref)]);
  assert.is((await one.stat()).size, ref.bytes);
  await Promise.all([one.close(), other.close()]);
  assert.is(calls, 2, 'both requests wait for one fetch');
});

test('tries files again that could not be fetched, game by game', async (context) => {
  await context.start();
  const finished: string[] = [];
  let failures = 2;
  const fetcher = new ArchiveFetcher({
    fetch: async ({ file }) => {
      if (file.startsWith('a/') && failures-- > 0) throw new SourceFileError('not now');
    },
    finish: async (slug) => void finished.push(slug),
    log: QUIET,
    retryMs: 1,
  });
  const ref = (file: string) => ({ file, bytes: 1, sha256: '' });
  fetcher.set('a', ref('a/manifest'), [ref('a/snapshot')]);
  fetcher.set('b', ref('b/manifest'), [ref('b/snapshot')]);
  fetcher.set('c', ref('c/manifest'), []);
  fetcher.start();
  fetcher.start();
  await until(() => finished.length === 2);
  assert.equal(finished, ['b', 'a']);
  assert.equal([fetcher.has('a'), fetcher.has('c')], [false, false]);
  fetcher.close();
});

test.run();

import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCatalog } from '../../../gateway/data/catalog.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { NOON, startGateway } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const game = (name: string) => ({
  'mini/game.json': { title: 'Mini' },
  'mini/1/build.json': { released_at: '2026-01-01' },
  'mini/1/characters.json': [{ id: 'a', name }],
  'mini/1/pull_planner.json': { currency: 'gems' },
});

/** The same game twice. */
const two = (name: string) => {
  const files = Object.entries(game(name));
  return Object.fromEntries(
    files.flatMap(([file, content]) => [
      [file, content],
      [file.replace('mini', 'maxi'), content],
    ]),
  );
};

const open = suite<{ folder: string; dist: string }>('openCatalog');
open.before.each(async (context) => {
  context.folder = await makeFolder('dist');
  context.dist = path.join(context.folder, 'dist');
  await buildGames(game('Ann'), context.dist);
});

async function indexOf(dist: string) {
  const file = path.join(dist, 'index.json');
  return {
    file,
    index: JSON.parse(await readFile(file, 'utf8')) as {
      format: number;
      games: { manifest: { file: string } }[];
    },
  };
}

async function messageOf(dist: string): Promise<string> {
  try {
    await openCatalog(dist, NOON);
  } catch (error) {
    return (error as Error).message;
  }
  return 'opened';
}

const DAMAGES: [string, (dist: string, manifest: string, roster: string) => Promise<void>, RegExp][] = [
  ['a missing folder', (dist) => rm(dist, { recursive: true }), /^no .*index\.json: run gamedata build/],
  ['a truncated index', (dist) => writeFile(path.join(dist, 'index.json'), '{"format":2,"ga'), /is not JSON/],
  [
    'an index with another format',
    (dist) => writeFile(path.join(dist, 'index.json'), '{"format":99,"games":[]}'),
    /has format 99, and this gateway reads format 4/,
  ],
  [
    'an index that names files outside',
    async (dist) => {
      const { file, index } = await indexOf(dist);
      (index.games[0] as { manifest: { file: string } }).manifest.file = '../../etc/passwd';
      await writeFile(file, JSON.stringify(index));
    },
    /does not follow format 4/,
  ],
  [
    'a missing manifest',
    (dist, manifest) => rm(path.join(dist, manifest)),
    /^no .*manifest.*: run gamedata build/,
  ],
  [
    'a half-written file',
    (dist, _manifest, roster) => writeFile(path.join(dist, roster), '[\n'),
    /has 2 bytes, expected/,
  ],
  [
    'a damaged file',
    async (dist, _manifest, roster) => {
      const text = await readFile(path.join(dist, roster), 'utf8');
      await writeFile(path.join(dist, roster), text.replace('Ann', 'Eve'));
    },
    /is damaged/,
  ],
];
for (const [what, damage, message] of DAMAGES) {
  open(`refuses ${what} in one line`, async ({ dist }) => {
    const manifest = (await indexOf(dist)).index.games[0]?.manifest.file ?? '';
    const { builds } = JSON.parse(await readFile(path.join(dist, manifest), 'utf8')) as {
      builds: { roster: { file: string } }[];
    };
    await damage(dist, manifest, builds[0]?.roster.file ?? '');
    const told = await messageOf(dist);
    assert.match(told, message);
    assert.not.match(told, /\n/);
  });
}
open.run();

const follow = suite('followDist');

follow('a state that cannot be loaded is logged, and the previous state is still served', async () => {
  const gateway = await startGateway(game('Ann'));
  const index = path.join(gateway.dist, 'index.json');
  const replace = async (text: string) => {
    await writeFile(`${index}.new`, text);
    await rename(`${index}.new`, index);
  };
  const good = await readFile(index, 'utf8');
  await replace('{"format":5,"games":[]}');
  await until(async () =>
    gateway.logged.join('\n').includes('has format 5, and this gateway reads format 4'),
  );
  assert.match((await gateway.ask('/api/mini/characters')).text, /Ann/);
  await rm(index);
  await until(async () => /no .*index\.json/.test(gateway.logged.join('\n')));
  assert.match((await gateway.ask('/api/mini/characters')).text, /Ann/);
  await replace(good);
  await until(async () => gateway.logged.join('\n').includes('dist reloaded'));
});
follow('an incomplete state is tried again, without a new index, and forgets damage before', async () => {
  const gateway = await startGateway(game('Ann'));
  const { follower } = gateway;
  const folder = path.join(gateway.dist, 'mini');
  for (const file of await readdir(folder))
    if (file.startsWith('snapshot')) await writeFile(path.join(folder, file), '');
  assert.is((await gateway.ask('/api/mini/snapshot/1')).status, 503);
  await until(() => follower.degraded.length === 1);
  const next = `${gateway.dist}-next`;
  await buildGames(game('Bea'), next);
  await rename(path.join(next, 'index.json'), path.join(gateway.dist, 'index.json'));
  await until(async () => gateway.logged.join('\n').includes('dist not reloaded'));
  await cp(next, gateway.dist, { recursive: true });
  await until(async () => (await gateway.ask('/api/mini/characters')).text.includes('Bea'));
  assert.is(gateway.logged.filter((line) => line.includes('dist not reloaded')).length, 1);
  assert.equal(follower.degraded, []);
});
follow('no game moves on while a folder is copied over the old one', async () => {
  const gateway = await startGateway(two('Ann'));
  const { dist, follower } = gateway;
  const next = `${dist}-next`;
  await buildGames(two('Bea'), next);
  const before = follower.catalog;
  await rm(dist, { recursive: true });
  await cp(next, dist, { recursive: true, filter: (file) => !file.endsWith('maxi') });
  assert.is(await follower.loadNewest(), before);
  await cp(next, dist, { recursive: true });
  await until(async () => (await gateway.ask('/api/mini/characters')).text.includes('Bea'));
  assert.match((await gateway.ask('/api/maxi/characters')).text, 'Bea');
});
follow('a game that cannot be loaded keeps its state, and the others move on', async () => {
  const gateway = await startGateway(two('Ann'));
  const { dist, follower } = gateway;
  const text = async (slug: string) => (await gateway.ask(`/api/${slug}/characters`)).text;
  const next = `${dist}-next`;
  await buildGames(two('Bea'), next);
  const roster = (await readdir(path.join(next, 'maxi'))).find((file) => file.startsWith('characters')) ?? '';
  const file = path.join(next, 'maxi', roster);
  const good = await readFile(file, 'utf8');
  await writeFile(file, good.replace('Bea', 'Eve'));
  await cp(next, dist, { recursive: true });
  await until(async () => (await text('mini')).includes('Bea'));
  assert.match(await text('maxi'), 'Ann');
  assert.equal(
    follower.degraded.map(({ game: slug }) => slug),
    ['maxi'],
  );
  assert.match(
    follower.degraded[0]?.problem ?? '',
    /is damaged .*: delete it and run gamedata build; build 1 is served$/,
  );
  await writeFile(path.join(dist, 'maxi', roster), good);
  await until(async () => (await text('maxi')).includes('Bea'));
  assert.equal(follower.degraded, []);
});
follow.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';

const inBuild = (folder: string, released_at: string) => ({
  [`${folder}/build.json`]: { released_at },
  [`${folder}/characters.json`]: [{ id: '1', name: 'Ann' }],
  [`${folder}/pull_planner.json`]: { price: 1 },
});
const FILES = {
  'old/game.json': { title: 'An Old Game', successor: 'new', other_regions: ['new', 'never'] },
  ...inBuild('old/1', '2026-01-01'),
  'new/game.json': { title: 'New Game' },
  // Twelve hours ago: not yet in the free view.
  ...inBuild('new/1', new Date(NOON - 12 * 3_600_000).toISOString()),
};

const successors = suite<{ gateway: TestGateway }>('successors and other regions');
successors.before(async (context) => {
  context.gateway = await startGateway(FILES);
});

interface Games {
  games: { slug: string; successor?: string; regions?: string[] }[];
}
const listed = ({ games }: Games) => games.map(({ slug, successor, regions }) => [slug, successor, regions]);

successors('are named to those who see the other game', async ({ gateway }) => {
  const gamesFor = async (key: string) => listed((await gateway.ask('/api/games', { key })).json<Games>());
  assert.equal(await gamesFor(gateway.keys.pro), [
    ['new', undefined, undefined],
    ['old', 'new', ['new']],
  ]);
  assert.equal(await gamesFor(gateway.keys.free), [['old', undefined, undefined]]);
});

successors(
  'are on pages once visitors see them, where games that have ended come last',
  async ({ gateway }) => {
    const page = async (path: string) => (await fetch(gateway.address + path)).text();
    assert.not.match(await page('/games/old'), /New Game/);
    gateway.clock.now += 13 * 3_600_000;
    assert.match(await page('/games/old'), /<a href="\/games\/new">New Game<\/a>/);
    for (const path of ['/', '/games', '/status']) {
      const [, main = ''] = (await page(path)).split('<main');
      assert.match(main, /ended/i, path);
      assert.is(main.match(/href="\/games\/(old|new)"/)?.[1], 'new', path);
    }
  },
);

successors.run();

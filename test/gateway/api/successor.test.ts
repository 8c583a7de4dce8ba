import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';

const BUILD = {
  'characters.json': [{ id: '1', name: 'Ann' }],
  'pull_planner.json': { price: 1 },
};
const inBuild = (folder: string, released_at: string) => ({
  [`${folder}/build.json`]: { released_at },
  ...Object.fromEntries(Object.entries(BUILD).map(([file, value]) => [`${folder}/${file}`, value])),
});
const IMAGES = { hosts: ['img.example.org'], credit: '© Maker', terms: 'https://example.org/terms' };
const FILES = {
  'old/game.json': {
    title: 'An Old Game',
    successor: 'new',
    other_regions: ['new', 'never'],
    images: IMAGES,
  },
  ...inBuild('old/1', '2026-01-01'),
  'new/game.json': { title: 'New Game' },
  // Twelve hours ago: not yet in the free view.
  ...inBuild('new/1', new Date(NOON - 12 * 3_600_000).toISOString()),
};

const successors = suite<{ gateway: TestGateway }>('successors');
successors.before(async (context) => {
  context.gateway = await startGateway(FILES);
});
successors.after(({ gateway }) => gateway.stop());

async function listedFor(gateway: TestGateway, key: string): Promise<[string, string | undefined][]> {
  const { json } = await gateway.ask('/api/games', { key });
  return json<{ games: { slug: string; successor?: string }[] }>().games.map(({ slug, successor }) => [
    slug,
    successor,
  ]);
}

successors('are named to those who see the game that goes on', async ({ gateway }) => {
  assert.equal(await listedFor(gateway, gateway.keys.pro), [
    ['new', undefined],
    ['old', 'new'],
  ]);
  assert.equal(await listedFor(gateway, gateway.keys.free), [['old', undefined]]);
});

successors('stand beside other regions, which are named in the same way, and images', async ({ gateway }) => {
  const old = async (key: string) => {
    const { json } = await gateway.ask('/api/games', { key });
    return json<{ games: { slug: string }[] }>().games.find(({ slug }) => slug === 'old');
  };
  const { regions, images } = { regions: undefined, images: undefined, ...(await old(gateway.keys.pro)) };
  assert.equal({ regions, images }, { regions: ['new'], images: IMAGES });
  assert.not.ok('regions' in ((await old(gateway.keys.free)) ?? { regions: [] }));
});

successors('are on the page of the game, once visitors see them', async ({ gateway }) => {
  const page = async () => (await fetch(`${gateway.address}/games/old`)).text();
  assert.not.match(await page(), /New Game/);
  gateway.clock.now += 13 * 3_600_000;
  assert.match(await page(), /<a href="\/games\/new">New Game<\/a>/);
});

successors(
  'are named wherever games are listed, where games that have ended come last',
  async ({ gateway }) => {
    for (const path of ['/', '/games', '/status']) {
      const page = await (await fetch(`${gateway.address}${path}`)).text();
      const main = page.slice(page.indexOf('<main'));
      assert.match(main, /ended/i, path);
      const [first] = main.match(/href="\/games\/(old|new)"/) ?? [];
      assert.is(first, 'href="/games/new"', path);
    }
    const status = await (await fetch(`${gateway.address}/status.json`)).json();
    const { games } = status as { games: { slug: string; successor?: string }[] };
    assert.equal(
      games.map(({ slug, successor }) => [slug, successor]),
      [
        ['new', undefined],
        ['old', 'new'],
      ],
    );
  },
);

successors.run();

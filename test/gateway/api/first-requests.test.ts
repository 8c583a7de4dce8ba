import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGames } from '../../support/dist-fixture.ts';
import { type Files, gameFiles, inFolder, withFolder } from '../../support/fixtures.ts';
import { startGateway } from '../../support/harness.ts';
import { runInProcess } from '../../support/run-in-process.ts';

/** More rows than a gateway prepares at once. The entries of the roster are shorter than the records: lists of objects are not in them. */
const CHARACTERS = Array.from({ length: 2001 }, (_, row) => ({
  ...{ id: `u${row}`, name: `Name ${row}`, name_ja: `名前${row}`, rarity: row % 5 },
  ...{ stats: { atk: row }, skills: [{ name: `Skill ${row % 7}` }] },
}));
const ITEMS = CHARACTERS.map(({ id, name, rarity }) => ({ id, name, rarity }));

/** Kinds of requests. Each is about a game that no request was about before. */
const OF_GAMES = [
  ...['characters.csv', 'characters.csv?lang=ja', 'characters.csv?sort=-name', 'characters.ndjson'],
  ...['characters?q=nmae', 'characters?stats.atk[lt]=5', 'characters?skills.name=Skill%201'],
  ...['characters?ids=u2,u1', 'facets?lang=ja', 'attributes', 'names?lang=ja', 'compare.csv?ids=u1,u2'],
].map((each) => `/api/game/${each}`);
const PAGES = [
  ...['/games/game/explore?sort=-rarity', '/games/game/characters/u5', '/games/game/compare?ids=u1,u2'],
  ...['/openapi/game.json', '/types/game.d.ts', '/api/search?q=name&games=game'],
];
/** Kinds of requests, each about another dataset. */
const OF_LISTS = ['.csv', '.csv?sort=-name', '.ndjson', '?q=nmae', '/u7', '/facets'];

const games = [...OF_GAMES, ...PAGES].map((request, at) =>
  request.replace(/(?<=[/=])game(?=[/.]|$)/, `g${at}`),
);
const lists = OF_LISTS.map((end, at) => `/api/lists/items_${at}${end}`);
const GAME: Files = gameFiles({ '1.0/characters.json': CHARACTERS });
const LISTS: Files = gameFiles(Object.fromEntries(lists.map((_, at) => [`1.0/items_${at}.json`, ITEMS])));

const test = suite('the first request to a gateway that is about a long list');

test('is served as the next one is, whatever it asks for', async () => {
  const files = games.map((_, at) => inFolder(`g${at}`, GAME));
  const gateway = await startGateway(Object.assign(inFolder('lists', LISTS), ...files));
  try {
    for (const target of [...games, ...lists]) {
      const ask = async () => {
        const response = await fetch(gateway.address + target, {
          headers: { 'x-api-key': gateway.keys.pro },
        });
        return { status: response.status, text: await response.text() };
      };
      const [first, next] = [await ask(), await ask()];
      assert.is(first.status, 200, `${target}: ${first.text.slice(0, 200)}`);
      assert.ok(first.text === next.text, target);
      if (/^\/api\/lists\S+\.csv/.test(target))
        assert.is(first.text.match(/\r\n/g)?.length, 1 + ITEMS.length, target);
    }
  } finally {
    await gateway.stop();
  }
});

test('may be that of a command', async () => {
  await withFolder({}, async (folder) => {
    const [dist, store] = [path.join(folder, 'dist'), path.join(folder, 'store')];
    await buildGames(inFolder('long', GAME), dist);
    await runInProcess('gateway', ['keys', 'issue', 'ada@example.org', '--tier', 'pro', '--store', store]);
    const query = '/api/long/characters.csv?limit=5';
    const words = ['links', 'make', 'ada@example.org', query, '--store', store, '--dist', dist];
    const { code, stdout, stderr } = await runInProcess('gateway', words);
    assert.equal([code, stderr], [0, '']);
    assert.match(stdout, /^\/t\/\S+\/long\/characters\.csv/);
  });
});

test.run();

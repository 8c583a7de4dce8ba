import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROBLEMS } from '../../../gateway/http/problem.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { table } from '../../support/table.ts';

// What a record of exchanges cannot show: the meaning of a query, what two addresses have in common, chance, and time.

const GAME = '/api/star-rail';
const ROSTER = `${GAME}/characters`;

const api = suite<{ gateway: TestGateway }>('endpoints');
api.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});

interface Page {
  total: number;
  characters: { id: string }[];
  missing?: string[];
}

const idsOf = ({ characters }: Page) => characters.map(({ id }) => id);
const read = async <T>(gateway: TestGateway, path: string) => {
  const { status, text, json } = await gateway.ask(path);
  assert.is(status, 200, text);
  return json<T>();
};

api('pages link to those that exist, and lead to the end', async ({ gateway }) => {
  const links = async (query: string): Promise<Record<string, string | undefined>> => {
    const { headers } = await gateway.ask(query.startsWith('/') ? query : `${ROSTER}?${query}`);
    const found = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
    return Object.fromEntries(found.map(([, address, rel]) => [rel, address]));
  };
  const path = `${ROSTER}?limit=1&element=Pyro&q=a%20`;
  assert.equal(await links('limit=1&element=Pyro&q=a+'), {
    first: `${path}&offset=0`,
    next: `${path}&offset=1`,
    last: `${path}&offset=1`,
  });
  assert.is((await links('limit=3&offset=900')).prev, `${ROSTER}?limit=3&offset=3`);
  assert.equal(await links('limit=2&q=zzz'), {});
  const ids: string[] = [];
  for (
    let next: string | undefined = `${ROSTER}?limit=1&rarity[gte]=4`;
    next;
    next = (await links(next)).next
  )
    ids.push(...idsOf(await read<Page>(gateway, next)));
  assert.equal(ids, ['constructor', 'unit-1', 'unit-2', 'unit-10']);
});

api(
  'a thousand unknown ids are listed as missing, without links that clients refuse',
  async ({ gateway }) => {
    const ids = ['unit-1', 'unit-2', ...Array.from({ length: 998 }, (_, at) => `n${at}`)].join();
    const { headers, json } = await gateway.ask(`${ROSTER}?limit=1&ids=${ids}`);
    assert.equal([json<Page>().total, json<Page>().missing?.length], [2, 998]);
    assert.is(headers.get('link'), '</terms>; rel="terms-of-service"');
  },
);

for (const [one = '', other = '', accept = '*/*'] of table`
  /characters/facets | /facets
  /characters/attributes | /attributes
  /characters.csv?rarity=5 | /characters?rarity=5 | text/csv; charset=utf-8, application/json;q=0.5
  /characters.ndjson?rarity=5 | /characters?rarity=5 | application/x-ndjson
`)
  api(`${one} has the same bytes as ${other}`, async ({ gateway }) => {
    const { text } = await gateway.ask(GAME + other, { headers: { accept } });
    assert.is((await gateway.ask(GAME + one)).text, text);
  });

api(
  'CSV and NDJSON have the records of JSON, in columns that do not depend on the page',
  async ({ gateway }) => {
    const [head] = (await gateway.ask(`${ROSTER}.csv`)).text.split('\r\n');
    for (const query of table`
    element=Pyro&sort=-stats.atk
    limit=0
    limit=1&offset=1
    element=nothing
    ids=unit-10,nobody,unit-1
    lang=ja
  `.flat()) {
      const { total, characters } = await read<Page>(gateway, `${ROSTER}?${query}`);
      const csv = await gateway.ask(`${ROSTER}.csv?${query}`);
      const ndjson = await gateway.ask(`${ROSTER}.ndjson?${query}`);
      assert.is(csv.text.split('\r\n')[0], head, query);
      const rows = parse(csv.text, { columns: true }) as { id: string; name: string }[];
      const shown = (list: object[]) =>
        list.map((each) => [Reflect.get(each, 'id'), Reflect.get(each, 'name')]);
      assert.equal(shown(rows), shown(characters), query);
      const lines = ndjson.text.split('\n').slice(0, -1);
      assert.equal(
        lines.map((line) => JSON.parse(line)),
        characters,
        query,
      );
      for (const { headers } of [csv, ndjson]) assert.is(headers.get('x-total-count'), String(total));
    }
  },
);

api('random characters are full records, none twice, and are never cached', async ({ gateway }) => {
  const ask = async (query: string) => {
    const { headers, json } = await gateway.ask(`${ROSTER}/random${query}`);
    assert.is(headers.get('cache-control'), 'no-store');
    return json<Page>().characters;
  };
  const all = await ask('?count=100');
  assert.equal(all.map(({ id }) => id).sort(), ['constructor', 'unit-1', 'unit-10', 'unit-2']);
  const seen = new Set<string>();
  while (seen.size < 4) seen.add((await ask(''))[0]?.id ?? '');
  assert.equal(
    all.find(({ id }) => id === 'unit-10'),
    await read(gateway, `${ROSTER}/unit-10`),
  );
});

api('no address shows a build before its release; then all do, without a restart', async ({ gateway }) => {
  const before = gateway.clock.now;
  const seen = async () => {
    const paths = ['/api/games', ROSTER, `${GAME}/facets`, `${GAME}/attributes`, `${ROSTER}/secret`];
    return (await Promise.all(paths.map(async (path) => (await gateway.ask(path)).text))).join('\n');
  };
  try {
    gateway.clock.now = Date.parse('2026-07-01') - 1;
    assert.not.match(await seen(), /Secret|1\.2|embargoed/);
    gateway.clock.now = Date.parse('2026-07-01');
    assert.match(await seen(), /"builds":3.*Secret/s);
    for (const path of [ROSTER, `${GAME}/banners`])
      assert.is((await gateway.ask(path)).headers.get('game-build'), '1.2');
    assert.is((await gateway.ask('/api/unborn/characters')).status, 404);
  } finally {
    gateway.clock.now = before;
  }
});

api('the page to which problems link describes every error code', async ({ gateway }) => {
  const page = await (await fetch(`${gateway.address}/problems`)).text();
  for (const code of Object.keys(PROBLEMS)) assert.match(page, `<tr id="${code}">`);
});

api.run();

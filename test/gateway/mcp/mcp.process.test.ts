import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Files } from '../../support/fixtures.ts';
import { issueKey, startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { table } from '../../support/table.ts';

/** Two are longer than a result may be, and all are longer than the texts that are kept. */
const LONG = Array.from({ length: 150 }, (_, at) => ({ id: `r${at}`, text: '"'.repeat(30_000) }));

/** A build that Pro keys see and free keys do not. */
const FILES: Files = {
  ...SAMPLE_GAMES,
  'star-rail/1.1.5/build.json': {
    released_at: '2026-06-01T00:00:00Z',
    overrides: [{ check: 'records-lost', reason: 'a test' }],
  },
  'star-rail/1.1.5/long.json': LONG,
  'star-rail/1.1.5/characters.json': [
    { id: 'fresh', name: 'Freshling', rarity: 5, element: 'Pyro', stats: { atk: 777 } },
    {
      id: 'unit-10',
      name: 'Hu Tao',
      name_ja: '胡桃',
      name_ko: '호도',
      rarity: 5,
      element: 'Pyro',
      stats: { atk: 110, hp: 15 },
    },
  ],
};
const FRESH = /1\.1\.5|Freshling|777/;

interface Context {
  gateway: TestGateway;
  /** Connects a client of the SDK with a new key of the tier, which is sent as a bearer token to every second client. */
  connect(tier: 'free' | 'pro'): Promise<{ client: Client; key: string }>;
  clients: Client[];
}

const mcp = suite<Context>('MCP');
mcp.before(async (context) => {
  const gateway = await startGateway(FILES);
  const clients: Client[] = [];
  Object.assign(context, { gateway, clients });
  context.connect = async (tier) => {
    const key = await issueKey(gateway.store, tier, `mcp-${clients.length}@example.org`);
    const headers: Record<string, string> =
      clients.length % 2 === 0 ? { 'X-API-Key': key } : { Authorization: `Bearer ${key}` };
    const client = new Client({ name: 'test', version: '1' });
    clients.push(client);
    const url = new URL(`${gateway.address}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return { client, key };
  };
});
mcp.after(async ({ gateway, clients }) => {
  for (const client of clients) await client.close();
  await gateway.stop();
});

interface Called {
  text: string;
  isError: boolean;
  data: { result: Record<string, unknown>; next_offset?: number; cut?: unknown[] };
}

/** Calls a tool. The client checks the result against the schema that the tool declares. */
async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: given });
  const [content] = result.content as { text: string }[];
  const data = result.structuredContent as Called['data'];
  return { text: content?.text ?? '', isError: result.isError === true, data };
}

async function used(gateway: TestGateway, key: string): Promise<number> {
  const me = (await gateway.ask('/api/me', { key })).json<{ usage: { minute: { used: number } } }>();
  return me.usage.minute.used;
}

const FREE_TOOLS = ['list_games', 'describe_game', 'search', 'get_character', 'compare', 'query_dataset'];
const GAME = { game: 'star-rail' };

mcp('returns what the API returns, and each call counts as its request', async ({ connect, gateway }) => {
  const { client, key } = await connect('free');
  const other = await issueKey(gateway.store, 'free', 'other@example.org');
  const pairs: [string, Record<string, unknown>, string][] = [
    ['list_games', {}, '/api/games'],
    ['describe_game', { ...GAME, dataset: 'banners' }, '/api/star-rail/banners/attributes'],
    ['search', { q: 'tao', games: ['star-rail'] }, '/api/search?limit=20&q=tao&games=star-rail'],
    ['get_character', { ...GAME, id: 'unit-10' }, '/api/star-rail/characters/unit-10'],
    [
      'query_dataset',
      { ...GAME, filter: ['rarity=5', 'stats.atk[gte]=100'], fields: ['id', 'name'], sort: '-name' },
      '/api/star-rail/characters?limit=20&rarity=5&stats.atk[gte]=100&fields=id,name&sort=-name',
    ],
    ['query_dataset', { ...GAME, dataset: 'banners', limit: 1 }, '/api/star-rail/banners?limit=1'],
    ['query_dataset', { game: 'tiny-game', dataset: 'pull_planner' }, '/api/tiny-game/pull_planner'],
  ];
  for (const [name, given, address] of pairs) {
    const { data, text } = await call(client, name, given);
    assert.equal(data?.result, (await gateway.ask(address, { key: other })).json(), `${name} ${text}`);
    assert.equal(JSON.parse(text), data);
  }
  const { data } = await call(client, 'compare', { ...GAME, ids: ['unit-1', 'unit-2'] });
  assert.equal(data.result.characters, [
    { id: 'unit-1', name: 'Arle' },
    { id: 'unit-2', name: 'Élan' },
  ]);
  // `lang` chooses the texts of other languages.
  assert.not.match((await call(client, 'describe_game', GAME)).text, /"key":"(skills\.)?name_/);
  assert.is(await used(gateway, key), pairs.length + 2);
  assert.is((await call(client, 'list_games')).isError, false);
  const refused = await call(client, 'list_games');
  assert.ok(refused.isError);
  assert.match(refused.text, /^quota-exceeded: .* Wait \d+ seconds/);
});

mcp('shows free keys only what they may see, in every tool', async ({ connect }) => {
  const [free, pro] = [await connect('free'), await connect('pro')];
  const calls: [string, Record<string, unknown>][] = [
    ['list_games', {}],
    ['describe_game', GAME],
    ['search', { q: 'freshling' }],
    ['get_character', { ...GAME, id: 'fresh' }],
    ['compare', { ...GAME, ids: ['fresh', 'unit-10'] }],
    ['query_dataset', GAME],
    ['patch_history', GAME],
    ['diff_builds', { ...GAME, from: '1.1', to: 'latest' }],
    ['stat_series', { ...GAME, id: 'unit-10', fields: ['stats.atk'] }],
  ];
  for (const [name, given] of calls) {
    const hidden = await call(free.client, name, given);
    assert.not.match(JSON.stringify(hidden), FRESH, name);
    assert.match(JSON.stringify((await call(pro.client, name, given)).data), FRESH, name);
    if (hidden.isError && !FREE_TOOLS.includes(name)) assert.match(hidden.text, /^pro-only: .*query_dataset/);
  }
});

/** What players ask, the tool and its arguments besides the game, and what the result has. A model sees only what is said of tools. */
const QUESTIONS = {
  free: table`
    Which games do you know? | list_games |  | "slug":"star-rail"
    Find the character with the name 胡桃 | search | {"q":"胡桃"} | "id":"unit-10"
    Who has higher stats, Hu Tao or Arle? Compare them | compare | {"ids":["unit-10","unit-1"]} | "key":"stats.atk","values":[120,90.5],"differs":true,"best":[0]
    List all characters of the element Pyro | query_dataset | {"filter":["element=Pyro"],"fields":["name"]} | "total":2,
    What values can the attribute element have? | describe_game | {} | "Hydro"
    Which banners are there, and what is their pity? | query_dataset | {"dataset":"banners"} | "pulls":90
    Tell me everything about the skills and stats of Hu Tao | get_character | {"id":"unit-10","fields":["skills","stats"]} | "skills":[{"id":"s1"}]
    Who is the strongest of rarity 5? | query_dataset | {"filter":["rarity=5"],"sort":"-stats.atk","limit":1,"fields":["name"]} | "characters":[{"id":"unit-10","name":"Hu Tao"}]
  `,
  pro: table`
    What is new in the game since the last patch? Which new characters? | patch_history | {"limit":1} | "new":{"count":1,"first":[{"id":"fresh","name":"Freshling"}]}
    Was Hu Tao buffed or nerfed? | patch_history | {"id":"unit-10"} | "path":"/stats/atk","from":120,"to":110
    What are the exact differences in stats between two patches? | diff_builds | {"from":"1.1","to":"1.1.5"} | "changed":[{"id":"unit-10"
    Did the patch only translate some names anew? | diff_builds | {"from":"1.1","to":"1.1.5"} | "folded":{"translations":1}
    Which dataset is new, and how long is it? | diff_builds | {"from":"1.1","to":"latest","collection":"long"} | "kind":"added","changed":[],"records":150}
    How did the attack of Hu Tao develop over time? | stat_series | {"id":"unit-10","fields":["stats.atk"]} | "values":[110]
  `,
};
/** Some four characters are a token. */
const MAX_TOKENS = 600;

mcp('has the result for questions of players, in few tokens', async ({ connect }) => {
  for (const tier of ['free', 'pro'] as const) {
    const { client } = await connect(tier);
    for (const [ask = '', tool = '', words = '', found = ''] of QUESTIONS[tier]) {
      const needsGame = tool !== 'list_games' && tool !== 'search';
      const given = { ...(words && (JSON.parse(words) as object)), ...(needsGame && GAME) };
      const { text } = await call(client, tool, given);
      assert.ok(text.includes(found), `${ask} ${text}`);
      assert.ok(text.length / 4 <= MAX_TOKENS, `${ask}: ${text.length / 4} tokens`);
    }
  }
});

mcp('says what tools are in at most 15 KB, without words of HTTP', async ({ connect }) => {
  const { tools } = await (await connect('pro')).client.listTools();
  const text = JSON.stringify(tools);
  assert.ok(text.length <= 15_000, `${text.length} characters`);
  assert.not.match(
    text,
    /\b(?:HTTP|URL|header|query string|endpoint|request|response|Content-\w+|status)\b|\/api\//i,
  );
});

mcp('accepts any Accept, numbers and lists as texts, and null', async ({ gateway, connect }) => {
  for (const accept of ['*/*', 'application/json', 'text/event-stream', undefined]) {
    const headers = { 'X-API-Key': gateway.keys.pro, 'Content-Type': 'application/json' };
    const response = await fetch(`${gateway.address}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...(accept !== undefined && { Accept: accept }) },
      body: JSON.stringify(LIST),
    });
    assert.is(response.status, 200);
    assert.match(await response.text(), /"tools"/);
  }
  const { client } = await connect('pro');
  const loose = { ...GAME, limit: '1', fields: 'name,rarity', sort: null, lang: null };
  const { data, text } = await call(client, 'query_dataset', loose);
  assert.is(data?.result.count, 1, text);
});

mcp('gives each record once in pages, and says how to ask for less', async ({ connect, gateway }) => {
  const { client } = await connect('pro');
  const long = { ...GAME, dataset: 'long' };
  const headers = { 'X-API-Key': gateway.keys.pro, 'Content-Type': 'application/json' };
  // The texts of records are kept at their second use.
  for (let use = 1; use <= 3; use++)
    for (const [offset, record] of LONG.entries()) {
      const params = { name: 'query_dataset', arguments: { ...long, offset, limit: 1 } };
      const body = JSON.stringify({ ...LIST, method: 'tools/call', params });
      const response = await fetch(`${gateway.address}/mcp`, { method: 'POST', headers, body });
      const { structuredContent: data, content } = JSON.parse(await response.text()).result;
      assert.equal(data.result.records, [record]);
      assert.is(data.next_offset, record === LONG.at(-1) ? undefined : offset + 1);
      assert.is(content[0].text, JSON.stringify(data));
    }
  assert.match((await call(client, 'query_dataset', { ...long, limit: 50 })).text, /^too-large: .*limit/);
  const filter = [`name[contains]=${'a\u0315\u0300'.repeat(2000)}`];
  assert.match((await call(client, 'query_dataset', { ...long, filter })).text, /^too-large: .*arguments/);
});

mcp('makes pages of long lists, and says what to try after an error', async ({ connect }) => {
  const { client } = await connect('pro');
  const first = await call(client, 'describe_game', { ...GAME, limit: 2 });
  assert.is((first.data.result.attributes as unknown[]).length, 2);
  assert.is(first.data.next_offset, 2);
  for (const [name = '', words = '', expected = ''] of table`
    get_character | {"game":"star-rai","id":"x"} | ^unknown-game: .*star-rail.*list_games
    get_character | {"id":"nobody"} | ^unknown-character: .*search
    query_dataset | {"dataset":"bannrs"} | ^unknown-dataset: .*banners.*list_games
    query_dataset | {"filter":["rarityy=5"]} | ^invalid-parameter: the argument filter: .*describe_game
    query_dataset | {"sort":"atk"} | ^invalid-parameter: the argument sort: .*stats\.atk
    get_character | {"id":"Hu Tao"} | ^unknown-character: the argument id: .*unit-10
    diff_builds | {"from":"9","to":"1.1"} | ^unknown-build: .*patch_history
    diff_builds | {"from":"1.1","to":"latest","collection":"bannrs"} | ^unknown-dataset: the argument collection: .*banners
    get_character | {"id":"\ud800"} | ^unknown-character: .*search
    get_character | {} | ^invalid-arguments: .*required property 'id'.*Expected: game, id, fields
    search | {"q":"x","limit":"many"} | ^invalid-arguments: .*limit
  `) {
    const given = { ...(name !== 'search' && GAME), ...(JSON.parse(words) as object) };
    const { text, isError } = await call(client, name, given);
    assert.ok(isError, name);
    assert.match(text, new RegExp(expected));
  }
  const unknown = await client.callTool({ name: 'list_gams' }).catch((error: Error) => error.message);
  assert.match(String(unknown), /list_games/);
});

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const NO_ARGUMENTS = { ...LIST, method: 'tools/call', params: { name: 'list_games', arguments: null } };

mcp('refuses what is no request of a program with a key', async ({ gateway }) => {
  const post = async (headers: Record<string, string>, body: unknown) => {
    const response = await fetch(`${gateway.address}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return [response.status, await response.text()] as const;
  };
  const key = { 'X-API-Key': gateway.keys.pro };
  const expected: [Record<string, string>, unknown, number, RegExp][] = [
    [{ ...key, Origin: gateway.address }, INITIALIZE, 200, /"protocolVersion"/],
    [{ ...key, Origin: 'null' }, INITIALIZE, 403, /origin-not-allowed/],
    [{ Authorization: 'Basic eDp5' }, INITIALIZE, 401, /invalid-key/],
    [key, '{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}', 400, /"code":-32/],
    [key, NO_ARGUMENTS, 200, /"code":-32602,.*arguments/],
    [{ ...key, 'Content-Type': 'application/json; charset=utf-8' }, LIST, 200, /"tools"/],
    [{ ...key, 'Content-Type': 'application/jsonxyz' }, LIST, 415, /Content-Type/],
    [key, [LIST], 400, /"code":-32/],
  ];
  for (const [headers, body, status, text] of expected) {
    const response = await post(headers, body);
    assert.is(response[0], status, response[1]);
    assert.match(response[1], text);
  }
});

mcp.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const GAME = '/api/star-rail';

const test = suite<{ gateway: TestGateway }>('rows as CSV and NDJSON');
test.before(async (context) => {
  context.gateway = await startGateway({
    ...SAMPLE_GAMES,
    'star-rail/1.1/formulas.json': [
      { id: 'a', name: '=cmd|x', note: 'a,"b"\nc', level: -5, odd: ['x|y', '-z'], deep: { x: { y: 1 } } },
      { id: 'b', name: 'B', deep: { x: { y: null }, w: '' }, parts: [{ id: 'p', count: 2 }] },
    ],
    'plain/game.json': { title: 'Game' },
    'plain/1/build.json': { released_at: '2026-01-01' },
    'plain/1/characters.json': [
      { id: 'a', name: 'A', skills: [] },
      { id: 'b', name: 'B', skills: [{ name: 'Strike' }] },
    ],
    'plain/1/pull_planner.json': { currency: 'jade', cost: 160 },
  });
});

test('csv=spreadsheet begins with a byte order mark, with the same cells and an ETag of its own', async ({
  gateway,
}) => {
  const read = async (address: string) => {
    const response = await fetch(gateway.address + address, { headers: { 'x-api-key': gateway.keys.pro } });
    return { etag: response.headers.get('etag'), bytes: Buffer.from(await response.arrayBuffer()) };
  };
  for (const address of ['formulas.csv?', 'compare.csv?ids=unit-1&']) {
    const plain = await read(`${GAME}/${address}`);
    const marked = await read(`${GAME}/${address}csv=spreadsheet`);
    assert.equal(marked.bytes, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.bytes]));
    assert.not.equal(marked.etag, plain.etag);
  }
  assert.match(String((await read(`${GAME}/formulas.csv?csv=spreadsheet`)).bytes), "'=cmd|x");
});

test('texts of data are harmless in a dataset, and read again as they were', async ({ gateway }) => {
  const { text } = await gateway.ask(`${GAME}/formulas.csv`);
  assert.is(
    text,
    [
      'id,name,deep.w,deep.x.y,level,note,odd,parts',
      `a,'=cmd|x,,1,-5,"a,""b""\nc","x|y; -z",`,
      'b,B,"",,,,,"[{""id"":""p"",""count"":2}]"',
      '',
    ].join('\r\n'),
  );
});

test('each form has ETags of its own, also after others were cached', async ({ gateway }) => {
  const etags = new Map<string, string>();
  for (let round = 0; round < 3; round++) {
    for (const accept of ['application/json', 'text/csv', 'application/x-ndjson']) {
      const { headers } = await gateway.ask(`${GAME}/banners?sort=-pulls`, { headers: { accept } });
      const etag = headers.get('etag') ?? '';
      assert.ok(headers.get('content-type')?.startsWith(accept));
      assert.is(etags.get(accept) ?? etag, etag);
      etags.set(accept, etag);
    }
  }
  assert.is(new Set(etags.values()).size, 3);
  for (const [accept, type] of [
    ['application/json; q=0.1, text/csv; q=0.9', 'text/csv'],
    ['text/csv; q=0, application/json; q=1', 'application/json'],
  ] as const) {
    const { headers } = await gateway.ask(`${GAME}/banners`, { headers: { accept } });
    assert.ok(headers.get('content-type')?.startsWith(type), accept);
  }
});

/** More rows than a page or a cache takes for usual. */
const LONG = Array.from({ length: 2100 }, (_, at) => ({ id: `u${at}`, name: `Unit ${at}`, rarity: at % 5 }));

test('a long list is whole in the first request to a gateway, and random characters are compressed', async () => {
  const gateway = await startGateway({
    'long/game.json': { title: 'Long' },
    'long/1/build.json': { released_at: '2026-01-01' },
    'long/1/pull_planner.json': { cost: 1 },
    'long/1/characters.json': LONG,
    'long/1/things.json': LONG,
  });
  const countIn = async (path: string) =>
    (await gateway.ask(`/api/long/${path}`, { key: gateway.keys.pro })).text.match(/\bu\d+"?,/g)?.length;
  assert.is(await countIn('characters.csv?sort=-rarity&q=unit&limit=500'), 500);
  assert.is(await countIn('things'), LONG.length);
  const { headers } = await gateway.ask('/api/long/characters/random?count=100');
  assert.match(headers.get('content-encoding') ?? '', /gzip|br/);
});

test.run();

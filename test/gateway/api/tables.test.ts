import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'csv-parse/sync';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const GAME = '/api/star-rail';
const CSV = 'text/csv; charset=utf-8; header=present';
const NDJSON = 'application/x-ndjson';

const test = suite<{ gateway: TestGateway }>('rows as CSV and NDJSON');
test.before(async (context) => {
  context.gateway = await startGateway({
    ...SAMPLE_GAMES,
    'star-rail/1.1/formulas.json': [
      { id: 'a', name: '=cmd|x', note: 'a,"b"\nc', level: -5, odd: ['x|y', '-z'], deep: { x: { y: 1 } } },
      { id: 'b', name: 'B', deep: { x: { y: null }, w: '' }, parts: [{ id: 'p', count: 2 }] },
    ],
  });
});
test.after(({ gateway }) => gateway.stop());

interface Page {
  total: number;
  characters: Record<string, unknown>[];
}

test('the suffix and Accept choose the same bytes; JSON is what every other client gets', async ({
  gateway,
}) => {
  for (const [form, type] of [
    ['csv', CSV],
    ['ndjson', NDJSON],
  ] as const) {
    const bySuffix = await gateway.ask(`${GAME}/characters.${form}?rarity=5`);
    const byAccept = await gateway.ask(`${GAME}/characters?rarity=5`, {
      headers: { accept: `${type.split(';')[0]}; charset=utf-8, application/json;q=0.5` },
    });
    assert.equal([bySuffix.status, bySuffix.headers.get('content-type')], [200, type]);
    assert.equal([byAccept.status, byAccept.headers.get('content-type')], [200, type]);
    assert.is(byAccept.text, bySuffix.text);
    assert.match(byAccept.headers.get('vary') ?? '', /\bAccept\b(?!-)/);
  }
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'text/html',
    browser,
    'text/csv;q=0.1, */*',
  ]) {
    const { headers } = await gateway.ask(`${GAME}/characters`, accept ? { headers: { accept } } : {});
    assert.match(headers.get('content-type') ?? '', /^application\/json/, accept ?? 'none');
  }
});

test('a media type that an address does not have is refused with those that it has', async ({ gateway }) => {
  const all = ['application/json', 'text/csv', 'application/x-ndjson'];
  const refused: [string, string, string[]][] = [
    [`${GAME}/characters`, 'application/xml', all],
    [`${GAME}/characters`, 'text/csv;q=0', all],
    [`${GAME}/characters/unit-1`, 'text/csv', ['application/json']],
    ['/api/games', 'text/csv', ['application/json']],
    [`${GAME}/pull_planner`, 'text/csv', ['application/json']],
    [`${GAME}/diff?from=1.0&to=1.1`, 'text/csv', ['application/json', 'application/json-patch+json']],
  ];
  for (const [path, accept, types] of refused) {
    const { status, json } = await gateway.ask(path, { headers: { accept } });
    const problem = json<{ code: string; types: string[] }>();
    assert.equal([status, problem.code, problem.types], [406, 'not-acceptable', types], `${path} ${accept}`);
  }
  assert.is((await gateway.ask(`${GAME}/pull_planner.csv`)).status, 406);
  assert.is((await gateway.ask(`${GAME}/nothing.csv`)).status, 404);
  assert.is((await gateway.ask(`${GAME}/nothing`, { headers: { accept: 'text/csv' } })).status, 404);
  for (const path of [`${GAME}/characters.xml`, `${GAME}/characters/unit-1.csv`, '/api/games.csv'])
    assert.is((await gateway.ask(path)).status, 404, path);
});

test('CSV has the records of JSON, in columns that do not depend on the page', async ({ gateway }) => {
  const { text, headers } = await gateway.ask(`${GAME}/characters.csv`);
  assert.is(
    text,
    [
      'id,name,attack,element,limited,name_ja,name_ko,rarity,stats.atk,stats.hp,tags,toString',
      'constructor,Proto,magic,,,,,4,,,,x',
      'unit-1,Arle,,Pyro,,,아르,4,90.5,,,',
      'unit-2,Élan,,Hydro,true,ガンマ,,5,90.5,20,"heal; dps",',
      'unit-10,Hu Tao,,Pyro,,胡桃,호두,5,120,15,dps,',
      '',
    ].join('\r\n'),
  );
  assert.is(headers.get('x-total-count'), '4');
  const [head] = text.split('\r\n');
  for (const search of ['limit=1', 'limit=0', 'ids=unit-1', 'element=nothing', 'sort=-name&offset=1'])
    assert.is((await gateway.ask(`${GAME}/characters.csv?${search}`)).text.split('\r\n')[0], head, search);
});

test('CSV has no column by default of what only full records have, even if it is empty in some', async () => {
  const gateway = await startGateway({
    'game/game.json': { title: 'Game' },
    'game/1/build.json': { released_at: '2026-01-01' },
    'game/1/characters.json': [
      { id: 'a', name: 'A', skills: [] },
      { id: 'b', name: 'B', skills: [{ name: 'Strike' }] },
    ],
    'game/1/pull_planner.json': { currency: 'jade', cost: 160 },
  });
  try {
    const { text } = await gateway.ask('/api/game/characters.csv');
    assert.is(text, 'id,name\r\na,A\r\nb,B\r\n');
  } finally {
    await gateway.stop();
  }
});

test('filters, search, sort and paging are those of JSON, with the total and the pages in the head', async ({
  gateway,
}) => {
  const searches = [
    'element=Pyro&sort=-stats.atk',
    'q=e',
    'limit=1&offset=1',
    'ids=unit-10,nobody,unit-1',
    'rarity[gte]=5&limit=1',
    'fields=id,stats',
  ];
  for (const search of searches) {
    const { total, characters } = (await gateway.ask(`${GAME}/characters?${search}`)).json<Page>();
    const csv = await gateway.ask(`${GAME}/characters.csv?${search}`);
    const rows = parse(csv.text, { columns: true }) as Record<string, string>[];
    assert.equal(
      rows.map(({ id }) => id),
      characters.map(({ id }) => id),
      search,
    );
    const ndjson = await gateway.ask(`${GAME}/characters.ndjson?${search}`);
    const lines = ndjson.text.split('\n').slice(0, -1);
    assert.equal(
      lines.map((line) => JSON.parse(line) as unknown),
      characters,
      search,
    );
    for (const { headers } of [csv, ndjson]) {
      assert.equal([headers.get('x-total-count'), headers.get('game-build')], [String(total), '1.1']);
    }
  }
  const { headers } = await gateway.ask(`${GAME}/characters.csv?limit=1&offset=1`);
  assert.match(
    headers.get('link') ?? '',
    /<\/api\/star-rail\/characters\.csv\?limit=1&offset=2>; rel="next"/,
  );
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
  for (const wrong of ['characters.csv?csv=excel', 'characters.ndjson?csv=spreadsheet'])
    assert.is((await gateway.ask(`${GAME}/${wrong}`)).json<{ parameter: string }>().parameter, 'csv');
});

test('columns chooses columns and their order; an object stands for what is in it', async ({ gateway }) => {
  const linesOf = async (search: string) =>
    (await gateway.ask(`${GAME}/characters.csv?ids=unit-2&${search}`)).text.split('\r\n').slice(0, -1);
  assert.equal(await linesOf('columns=name,id'), ['name,id', 'Élan,unit-2']);
  assert.equal(await linesOf('columns=stats,name,stats.hp'), ['stats.atk,stats.hp,name', '90.5,20,Élan']);
  assert.equal(await linesOf('fields=stats,name'), ['id,name,stats.atk,stats.hp', 'unit-2,Élan,90.5,20']);
  assert.equal(await linesOf('columns=attack'), ['attack', '""'], 'readers skip empty lines');
  assert.equal(await linesOf('lang=ja&columns=id,name'), ['id,name', 'unit-2,ガンマ']);
  const wrong: [string, string, RegExp][] = [
    ['csv?columns=nmae', 'columns', /"nmae" is not a column of these records \(did you mean "name"\?\)/],
    ['csv?columns=id&fields=id', 'columns', /one of them/],
    ['csv?columns=', 'columns', /empty part/],
    ['ndjson?columns=id', 'columns', /columns/],
    ['csv?nonsense=1', 'nonsense', /nonsense/],
  ];
  for (const [search, parameter, message] of wrong) {
    const { status, json } = await gateway.ask(`${GAME}/characters.${search}`);
    const problem = json<{ parameter: string; detail: string }>();
    assert.equal([status, problem.parameter], [400, parameter], search);
    assert.match(problem.detail, message);
  }
});

test('lang has the texts of JSON in each column', async ({ gateway }) => {
  const csv = await gateway.ask(`${GAME}/characters.csv?lang=ja`);
  const { characters } = (await gateway.ask(`${GAME}/characters?lang=ja`)).json<Page>();
  const rows = parse(csv.text, { columns: true }) as Record<string, string>[];
  assert.equal(
    rows.map(({ name, tags }) => [name, tags]),
    characters.map(({ name, tags = [] }) => [name, (tags as string[]).join('; ')]),
  );
  assert.is(csv.headers.get('content-language'), 'ja');
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

test('a comparison has a row per facet, and a column per character', async ({ gateway }) => {
  const { text } = await gateway.ask(`${GAME}/compare.csv?ids=unit-10,unit-2`);
  const rows = parse(text, { columns: true }) as Record<string, string>[];
  const row = (key: string) => rows.find((each) => each.key === key);
  assert.equal(row('stats.atk'), {
    key: 'stats.atk',
    'unit-10': '120',
    'unit-2': '90.5',
    differs: 'true',
    best: 'unit-10',
  });
  assert.equal(row('tags')?.['unit-2'], 'heal; dps');
  const ndjson = await gateway.ask(`${GAME}/compare.ndjson?ids=unit-10,unit-2`);
  const { fields } = (await gateway.ask(`${GAME}/compare?ids=unit-10,unit-2`)).json<{ fields: unknown[] }>();
  assert.equal(
    ndjson.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
    fields,
  );
  assert.is(ndjson.headers.get('x-total-count'), String(fields.length));
});

test('a series has a row per build, and is for Pro keys', async ({ gateway }) => {
  const path = `${GAME}/history/unit-10/series`;
  const { text } = await gateway.ask(`${path}.csv?fields=stats.atk,tags`);
  assert.is(text, 'build,released_at,stats.atk,tags\r\n1.1,2026-02-01T00:00:00Z,120,dps\r\n');
  const { json } = await gateway.ask(`${path}.ndjson?fields=stats.atk`);
  assert.equal(json(), { build: '1.1', released_at: '2026-02-01T00:00:00Z', values: [120] });
  assert.is((await gateway.ask(`${path}.csv?fields=name`, { key: gateway.keys.free })).status, 403);
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
  for (const [accept, etag] of etags) {
    for (const [other, status] of [...etags].map(
      ([type, tag]) => [type, tag === etag ? 304 : 200] as const,
    )) {
      const response = await gateway.ask(`${GAME}/banners?sort=-pulls`, {
        headers: { accept: other, 'if-none-match': etag },
      });
      assert.is(response.status, status, `${accept} for ${other}`);
    }
  }
});

test.run();

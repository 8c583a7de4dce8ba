import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROBLEMS, statusesOf } from '../../../gateway/http/problem.ts';
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
api.after(({ gateway }) => gateway.stop());

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

const FOUND = table`
  | constructor unit-1 unit-2 unit-10 | everything, in natural order of ids
  element=Pyro | unit-1 unit-10 | a text
  element=Pyro&element=Hydro | unit-1 unit-2 unit-10 | any of several values of one facet
  element=Pyro&rarity=5.0 | unit-10 | all of several facets, each read by its type
  stats.atk=90.5 | unit-1 unit-2 | a dotted key
  stats.atk[gt]=90.5 | unit-10 | a range
  stats.atk[gte]=90&stats.atk[lte]=91 | unit-1 unit-2 | both ends of a range
  element[ne]=Pyro | constructor unit-2 | any other value, or none
  limited[exists]=true | unit-2 | presence
  stats.atk[exists]=false | constructor | absence
  tags=heal | unit-2 | an element of a list
  limited=true | unit-2 | a boolean
  toString=x | constructor | an attribute called toString
  filter=stats.atk%5Bgte%5D%3D100&filter=element%3DPyro | unit-10 | filters as values of filter
  filter=name%5Bne%5D%3DHu%20Tao&limit=1 | constructor | a filter with a space
  q=ELAN | unit-2 | a name without its accent and case
  q=がん | unit-2 | either kana
  q=かん |  | voiced kana only
  q=ㅇㄹ | unit-1 | hangul initials
  q=ao+h | unit-10 | parts of words in any order
  q=hu+胡 |  | words of one name only
  sort=-stats.atk,-id | unit-10 unit-2 unit-1 constructor | descending, and absent last
  sort=stats.atk | unit-1 unit-2 unit-10 constructor | ascending, and absent last
  limit=2&offset=1 | unit-1 unit-2 | a page
  ids=unit-10,nobody,unit-1 | unit-10 unit-1 | ids, as they were given
  ids=unit-10,unit-1&sort=id | unit-1 unit-10 | ids, sorted
  ids=unit-10,unit-2&element=Hydro | unit-2 | ids, filtered
`;
for (const [query = '', expected = '', what = ''] of FOUND)
  api(`a query finds ${what}: ${query}`, async ({ gateway }) => {
    const page = await read<Page>(gateway, `${ROSTER}?${encodeURI(query).replaceAll('%25', '%')}`);
    assert.is(idsOf(page).join(' '), expected);
  });

for (const [query, value] of [
  ['element=pyro', 'Pyro'],
  ['element=Ｐｙｒｏ', 'Pyro'],
  ['element=nothing', undefined],
  ['element[ne]=pyro&rarity=77', undefined],
] as const)
  api(`an empty page proposes ${value ?? 'no value'} for ${query}`, async ({ gateway }) => {
    const page = await read<{ total: number; did_you_mean?: unknown }>(
      gateway,
      `${ROSTER}?${encodeURI(query)}`,
    );
    assert.equal([page.total, page.did_you_mean], [0, value && { parameter: 'element', value }]);
  });

api('fields are those of the full record, nested, with an object for what is in it', async ({ gateway }) => {
  assert.equal((await read<Page>(gateway, `${ROSTER}?fields=stats.hp,name,skills,limited`)).characters, [
    { id: 'constructor', name: 'Proto' },
    { id: 'unit-1', name: 'Arle' },
    { id: 'unit-2', name: 'Élan', limited: true, stats: { hp: 20 } },
    { id: 'unit-10', name: 'Hu Tao', skills: [{ id: 's1' }], stats: { hp: 15 } },
  ]);
  for (const fields of ['stats,stats.hp', 'stats.hp,stats'])
    assert.equal((await read<Page>(gateway, `${ROSTER}?ids=unit-10&fields=${fields}`)).characters, [
      { id: 'unit-10', stats: { atk: 120, hp: 15 } },
    ]);
});

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

api('compare lists every best position of an attribute, and none if all are equal', async ({ gateway }) => {
  const best = async (ids: string, key: string) => {
    const { fields } = await read<{ fields: { key: string; best: number[] }[] }>(
      gateway,
      `${GAME}/compare?ids=${ids}`,
    );
    return fields.find((field) => field.key === key)?.best;
  };
  assert.equal(await best('unit-10,unit-2,unit-1', 'stats.atk'), [0]);
  assert.equal(await best('unit-1,constructor,unit-2', 'stats.atk'), [0, 2]);
  assert.equal(await best('unit-1,unit-2', 'stats.atk'), []);
  assert.equal(await best('unit-1,unit-2', 'rarity'), [], 'more is not better');
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
  for (const code of Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[])
    assert.match(
      page,
      `<div id="${code}"><dt><code>${code}</code> <span class="badge">${statusesOf(code).join(' ')}</span>`,
    );
});

api('the guides are there as one text, and what changed as a feed', async ({ gateway }) => {
  const guides = await (await fetch(`${gateway.address}/llms-full.txt`)).text();
  assert.match(guides, /^# Queries$/m);
  assert.not.match(guides, /\]\([\w-]+\.md/);
  const atom = await (await fetch(`${gateway.address}/changes.atom`)).text();
  const ids = [...atom.matchAll(/<id>(urn:sha256:[0-9a-f]{64})<\/id>/g)].map(([, id]) => id);
  assert.ok(ids.length > 0);
  assert.is(new Set(ids).size, ids.length);
  assert.is(atom.match(/<updated>\d{4}-\d{2}-\d{2}T/g)?.length, ids.length + 1);
  assert.not.match(atom, /\]\(docs\//);
});

api.run();

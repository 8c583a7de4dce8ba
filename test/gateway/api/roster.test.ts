import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const roster = suite<{ gateway: TestGateway }>('GET /api/{game}/characters');
roster.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
roster.after(({ gateway }) => gateway.stop());

interface Page {
  total: number;
  count: number;
  limit: number;
  offset: number;
  sort: string;
  missing?: string[];
  characters: Record<string, unknown>[];
}

const CASES: [string, string, string[]][] = [
  ['is in natural order of ids', '', ['constructor', 'unit-1', 'unit-2', 'unit-10']],
  ['filters by text', 'element=Pyro', ['unit-1', 'unit-10']],
  ['matches case exactly', 'element=pyro', []],
  ['reads a value by the type of its facet', 'rarity=5.0', ['unit-2', 'unit-10']],
  [
    'matches any of several values of one facet',
    'element=Pyro&element=Hydro',
    ['unit-1', 'unit-2', 'unit-10'],
  ],
  ['matches all of several facets', 'element=Pyro&rarity=5', ['unit-10']],
  ['filters by a dotted key', 'stats.atk=90.5', ['unit-1', 'unit-2']],
  ['filters by a range', 'stats.atk[gt]=90.5', ['unit-10']],
  ['filters by two ends of a range', 'stats.atk[gte]=90&stats.atk[lte]=91', ['unit-1', 'unit-2']],
  ['excludes a value, and keeps records without one', 'element[ne]=Pyro', ['constructor', 'unit-2']],
  ['filters by presence', 'limited[exists]=true', ['unit-2']],
  ['filters by absence', 'stats.atk[exists]=false', ['constructor']],
  ['matches any element of a list', 'tags=heal', ['unit-2']],
  ['filters by a boolean', 'limited=true', ['unit-2']],
  ['filters by an attribute called toString', 'toString=x', ['constructor']],
  ['accepts encoded brackets', 'rarity%5Bgte%5D=5', ['unit-2', 'unit-10']],
  ['searches names without accents and case', 'q=ELAN', ['unit-2']],
  ['searches names in Japanese by either kana', 'q=がん', ['unit-2']],
  ['distinguishes voiced and unvoiced kana', 'q=かん', []],
  ['searches names by hangul initials', 'q=ㅇㄹ', ['unit-1']],
  ['searches by parts of words in any order', 'q=ao+h', ['unit-10']],
  ['does not match words of two different names', 'q=hu+胡', []],
  [
    'sorts descending, then ascending, absent last',
    'sort=-stats.atk,-id',
    ['unit-10', 'unit-2', 'unit-1', 'constructor'],
  ],
  ['sorts ascending with absent last', 'sort=stats.atk', ['unit-1', 'unit-2', 'unit-10', 'constructor']],
  ['pages', 'limit=2&offset=1', ['unit-1', 'unit-2']],
  ['returns ids in the requested order', 'ids=unit-10,nobody,unit-1', ['unit-10', 'unit-1']],
  ['sorts ids if requested', 'ids=unit-10,unit-1&sort=id', ['unit-1', 'unit-10']],
  ['filters ids', 'ids=unit-10,unit-2&element=Hydro', ['unit-2']],
];
for (const [what, search, expected] of CASES) {
  roster(what, async ({ gateway }) => {
    const response = await gateway.ask(`/api/star-rail/characters?${search}`);
    assert.is(response.status, 200, response.text);
    const ids = response.json<Page>().characters.map(({ id }) => id);
    assert.equal(ids, expected);
  });
}

roster('has the entry without its lists of objects, byte for byte', async ({ gateway }) => {
  const { json } = await gateway.ask('/api/star-rail/characters?ids=unit-10');
  assert.equal(json<Page>(), {
    game: 'star-rail',
    build: '1.1',
    total: 1,
    count: 1,
    limit: 100,
    offset: 0,
    sort: 'ids',
    missing: [],
    characters: [
      {
        id: 'unit-10',
        name: 'Hu Tao',
        element: 'Pyro',
        name_ja: '胡桃',
        name_ko: '호두',
        rarity: 5,
        stats: { atk: 120, hp: 15 },
        tags: ['dps'],
      },
    ],
  });
});

for (const [search, expected] of [
  ['element=pyro', { parameter: 'element', value: 'Pyro' }],
  ['element=Ｐｙｒｏ', { parameter: 'element', value: 'Pyro' }],
  ['element=nothing', undefined],
  ['element[ne]=pyro&rarity=77', undefined],
] as const) {
  roster(`suggests ${expected?.value ?? 'no value'} for ${search}`, async ({ gateway }) => {
    const path = `/api/star-rail/characters?${encodeURI(search)}`;
    const page = (await gateway.ask(path)).json<Page & { did_you_mean?: unknown }>();
    assert.equal([page.total, page.did_you_mean], [0, expected]);
  });
}

roster('shows totals without records at limit 0', async ({ gateway }) => {
  const page = (await gateway.ask('/api/star-rail/characters?rarity=5&limit=0')).json<Page>();
  assert.equal([page.total, page.count, page.limit, page.characters], [2, 0, 0, []]);
});

roster('echoes the sort and lists the ids that are missing', async ({ gateway }) => {
  const page = (await gateway.ask('/api/star-rail/characters?ids=a,unit-1,b&sort=-rarity,name')).json<Page>();
  assert.is(page.sort, '-rarity,name');
  assert.equal(page.missing, ['a', 'b']);
});

roster('projects onto fields, nested and with id, from the full record', async ({ gateway }) => {
  const page = (
    await gateway.ask('/api/star-rail/characters?fields=stats.hp,name,skills,limited')
  ).json<Page>();
  assert.equal(page.characters, [
    { id: 'constructor', name: 'Proto' },
    { id: 'unit-1', name: 'Arle' },
    { id: 'unit-2', name: 'Élan', limited: true, stats: { hp: 20 } },
    { id: 'unit-10', name: 'Hu Tao', skills: [{ id: 's1' }], stats: { hp: 15 } },
  ]);
});

roster('projects onto an object, and onto a part of it', async ({ gateway }) => {
  for (const fields of ['stats,stats.hp', 'stats.hp,stats']) {
    const page = (await gateway.ask(`/api/star-rail/characters?ids=unit-10&fields=${fields}`)).json<Page>();
    assert.equal(page.characters, [{ id: 'unit-10', stats: { atk: 120, hp: 15 } }]);
  }
});

roster('links to the pages that exist', async ({ gateway }) => {
  const links = async (search: string) => {
    const { headers } = await gateway.ask(`/api/star-rail/characters?${search}`);
    const found = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
    return Object.fromEntries(found.map(([, address, rel]) => [rel, address]));
  };
  const path = '/api/star-rail/characters?limit=1&element=Pyro&q=a%20';
  assert.equal(await links('limit=1&element=Pyro&q=a+'), {
    first: `${path}&offset=0`,
    next: `${path}&offset=1`,
    last: `${path}&offset=1`,
  });
  assert.equal(Object.keys(await links('limit=1&offset=1')).sort(), ['first', 'last', 'next', 'prev']);
  assert.equal(Object.keys(await links('limit=2&offset=2')).sort(), ['first', 'last', 'prev']);
  assert.equal((await links('limit=3&offset=900')).prev, '/api/star-rail/characters?limit=3&offset=3');
  assert.equal(await links('limit=2&q=zzz'), {});
});

roster('follows its own links to the end', async ({ gateway }) => {
  const ids: unknown[] = [];
  let next: string | undefined = '/api/star-rail/characters?limit=1&rarity[gte]=4';
  while (next) {
    const { json, headers } = await gateway.ask(next);
    ids.push(...json<Page>().characters.map(({ id }) => id));
    next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  assert.equal(ids, ['constructor', 'unit-1', 'unit-2', 'unit-10']);
});

const BAD: [string, string, string, RegExp][] = [
  ['an unknown facet, with the nearest', 'elment=Pyro', 'elment', /did you mean "element"/],
  ['an unknown facet in a filter', 'filter=elment=Pyro', 'elment', /did you mean "element"/],
  ['a filter without a value', 'filter=element', 'filter', /expected a facet, .*rarity\[gte\]=4/],
  ['a filter without a name', 'filter==Pyro', 'filter', /expected a facet/],
  ['another parameter as a filter', 'filter=limit=5', 'filter', /expected a facet/],
  ['a filter in a filter', 'filter=filter=rarity=5', 'filter', /expected a facet/],
  ['an unknown operator', 'rarity[about]=5', 'rarity[about]', /expected one of gte, gt/],
  ['a word for a number', 'rarity=five', 'rarity', /expected a number/],
  ['an empty number', 'rarity=', 'rarity', /expected a number/],
  ['a hexadecimal number', 'rarity=0x5', 'rarity', /expected a number/],
  ['a range on text', 'element[gt]=a', 'element[gt]', /compares numbers/],
  ['a boolean in other words', 'limited=yes', 'limited', /true or false/],
  ['presence in other words', 'limited[exists]=1', 'limited[exists]', /expected true or false/],
  ['a negative limit', 'limit=-1', 'limit', /from 0 to 1000/],
  ['a limit in exponent form', 'limit=1e9', 'limit', /from 0 to 1000/],
  ['a limit in letters', 'limit=abc', 'limit', /from 0 to 1000/],
  ['an empty limit', 'limit=', 'limit', /from 0 to 1000/],
  ['a limit that is too large', 'limit=1001', 'limit', /from 0 to 1000/],
  ['two limits', 'limit=1&limit=1', 'limit', /2 times/],
  ['two sorts', 'sort=id&sort=name', 'sort', /2 times/],
  ['two searches', 'q=a&q=b', 'q', /2 times/],
  ['an offset that is not a whole number', 'offset=1.5', 'offset', /whole number/],
  ['an offset that is too large', 'offset=99999999999999999999', 'offset', /whole number/],
  ['sorting by an unknown key', 'sort=-powr', 'sort', /not a facet/],
  ['sorting by a list', 'sort=tags', 'sort', /several values/],
  ['sorting by one key twice', 'sort=name,-name', 'sort', /twice/],
  ['an empty sort key', 'sort=name,', 'sort', /empty part/],
  ['an empty search', 'q=', 'q', /empty/],
  ['a blank search', 'q=%20%E3%80%80', 'q', /empty/],
  ['an empty id', 'ids=unit-1,,unit-2', 'ids', /empty part/],
  ['unknown fields', 'fields=name,stats.atkk', 'fields', /did you mean "stats.atk"/],
  ['__proto__ as a facet', '__proto__=1', '__proto__', /neither a parameter nor a facet/],
  ['constructor as a facet', 'constructor=1', 'constructor', /neither/],
  ['__proto__ as a field', 'fields=__proto__', 'fields', /not an attribute/],
  ['__proto__ as a sort key', 'sort=__proto__', 'sort', /not a facet/],
  ['__proto__ as an operator', 'rarity[__proto__]=1', 'rarity[__proto__]', /not an operator/],
  ['a half bracket', 'rarity[gte=1', 'rarity[gte', /neither/],
  ['malformed percent-encoding', 'element=%zz', 'query', /malformed/],
  ['percent-encoding that is not UTF-8', 'element=%ff', 'query', /malformed/],
  ['the key in the address', 'key=gdr_x', 'key', /neither/],
];
for (const [what, search, parameter, detail] of BAD) {
  roster(`refuses ${what}`, async ({ gateway }) => {
    const { status, json } = await gateway.ask(`/api/star-rail/characters?${search}`);
    const problem = json<{ code: string; parameter: string; detail: string }>();
    assert.equal([status, problem.code, problem.parameter], [400, 'invalid-parameter', parameter]);
    assert.match(problem.detail, detail);
  });
}

roster('reads filters as values of `filter` as well', async ({ gateway }) => {
  const idsFor = async (search: string) => {
    const { json } = await gateway.ask(`/api/star-rail/characters?${search}`);
    return json<Page>().characters.map(({ id }) => id);
  };
  for (const filters of [
    ['element=Pyro'],
    ['element=Pyro', 'element=Hydro', 'stats.atk[gte]=100'],
    ['name[ne]=Hu Tao'],
  ]) {
    const own = filters.map((text) => text.replace(' ', '%20')).join('&');
    const expected = await idsFor(own);
    assert.ok(expected.length > 0);
    assert.equal(
      await idsFor(filters.map((text) => `filter=${encodeURIComponent(text)}`).join('&')),
      expected,
    );
    assert.equal(await idsFor(`filter=${own.replace('&', '&filter=')}`), expected);
  }
});

roster('accepts a thousand unknown ids', async ({ gateway }) => {
  const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`).join(',');
  const page = (await gateway.ask(`/api/star-rail/characters?ids=${ids}`)).json<Page>();
  assert.equal([page.total, page.missing?.length], [0, 1000]);
});

roster.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const BOOKS = {
  'library/game.json': { title: 'Library', language: 'en' },
  'library/1/build.json': { released_at: '2026-01-01' },
  'library/1/characters.json': [
    {
      id: '1',
      name: 'Owl',
      name_ja: 'ふくろう',
      name_zh_cn: '猫头鹰',
      class_id: 'c7',
      class: 'Reader',
      class_ja: '読者',
      moods: ['calm'],
      moods_ja: ['静か'],
      skills: [{ name: 'Read', name_ja: '読む', power: 3 }, { name: 'Nap' }],
      skins: { first: { name: 'Plain, "white"', name_ja: '「白」' } },
    },
    { id: '2', name: 'Fox', class: 'Writer' },
  ],
  'library/1/books.json': [{ id: 'b1', name: 'Atlas', name_ko: '지도' }],
  'library/1/pull_planner.json': { name: 'Tickets', name_ja: '券', price: 1 },
};

const language = suite<{ gateway: TestGateway }>('lang');
language.before(async (context) => {
  context.gateway = await startGateway({ ...SAMPLE_GAMES, ...BOOKS });
});
language.after(({ gateway }) => gateway.stop());

const OWL = {
  id: '1',
  name: 'ふくろう',
  name_en: 'Owl',
  class: '読者',
  class_id: 'c7',
  class_ja: '読者',
  moods: ['静か'],
  moods_ja: ['静か'],
  name_ja: 'ふくろう',
  name_zh_cn: '猫头鹰',
  skills: [{ name: '読む', name_ja: '読む', power: 3 }, { name: 'Nap' }],
  skins: { first: { name: '「白」', name_ja: '「白」' } },
};

language('a full record has its texts in the language, and keeps its name', async ({ gateway }) => {
  const response = await gateway.ask('/api/library/characters/1?lang=ja');
  assert.equal(response.json(), OWL);
  assert.is(response.headers.get('content-language'), 'ja');
  const without = await gateway.ask('/api/library/characters/1');
  assert.is(without.headers.get('content-language'), null);
  assert.is.not(without.headers.get('etag'), response.headers.get('etag'));
});

language('a record without a text in the language keeps it', async ({ gateway }) => {
  const { json } = await gateway.ask('/api/library/characters/2?lang=ja');
  assert.equal(json(), { id: '2', name: 'Fox', class: 'Writer' });
});

language('the roster, with fields or without, is in the language', async ({ gateway }) => {
  const page = (await gateway.ask('/api/library/characters?lang=ja&ids=1')).json<{ characters: object[] }>();
  const { skills: _, ...entry } = OWL;
  assert.equal(page.characters, [entry]);
  const fields = 'name,name_en,name_fr,class,moods,skills,skins.first.name';
  const chosen = await gateway.ask(`/api/library/characters?lang=ja&fields=${fields}`);
  assert.equal(chosen.json<{ characters: object[] }>().characters, [
    {
      id: '1',
      name: 'ふくろう',
      name_en: 'Owl',
      class: '読者',
      moods: ['静か'],
      skills: OWL.skills,
      skins: { first: { name: '「白」' } },
    },
    { id: '2', name: 'Fox', name_en: 'Fox', class: 'Writer' },
  ]);
});

language('a dataset, a record of it and one object are in the language', async ({ gateway }) => {
  const books = [{ id: 'b1', name: '지도', name_en: 'Atlas', name_ko: '지도' }];
  assert.equal(
    (await gateway.ask('/api/library/books?lang=ko')).json<{ records: object[] }>().records,
    books,
  );
  assert.equal((await gateway.ask('/api/library/books/b1?lang=ko')).json(), books[0]);
  const { data } = (await gateway.ask('/api/library/pull_planner?lang=ja')).json<{ data: object }>();
  assert.equal(data, { name: '券', name_en: 'Tickets', name_ja: '券', price: 1 });
});

language('compare, names and random are in the language', async ({ gateway }) => {
  const { characters, fields } = (await gateway.ask('/api/library/compare?ids=1,2&lang=ja')).json<{
    characters: object[];
    fields: { key: string; values: unknown[] }[];
  }>();
  assert.equal(characters[0], OWL);
  const valuesOf = (key: string) => fields.find((field) => field.key === key)?.values;
  assert.equal(valuesOf('name'), ['ふくろう', 'Fox']);
  assert.equal(valuesOf('class'), ['読者', 'Writer']);
  const { names } = (await gateway.ask('/api/library/names?lang=ja')).json<{ names: { name: string }[] }>();
  assert.equal(
    names.map(({ name }) => name),
    ['ふくろう', 'Fox'],
  );
  const random = await gateway.ask('/api/library/characters/random?count=2&lang=ja');
  assert.is(
    random.json<{ characters: { id: string; name: string }[] }>().characters.find(({ id }) => id === '1')
      ?.name,
    'ふくろう',
  );
});

for (const [given, tag] of [
  ['zh-CN', 'zh-CN'],
  ['ZH_CN', 'zh-CN'],
  ['en', 'en'],
] as const) {
  language(`${given} is served as ${tag}`, async ({ gateway }) => {
    const response = await gateway.ask(`/api/library/characters/1?lang=${given}`);
    assert.is(response.headers.get('content-language'), tag);
    assert.is(response.json<{ name: string }>().name, given === 'en' ? 'Owl' : '猫头鹰');
  });
}

for (const path of [
  'library/characters',
  'library/characters/1',
  'library/books',
  'library/books/b1',
  'library/compare?ids=1',
  'library/names',
  'library/pull_planner',
  'library/characters/random',
  'library/facets',
  'library/books/facets',
]) {
  language(`an unknown language is an error that lists those of the game: ${path}`, async ({ gateway }) => {
    const response = await gateway.ask(`/api/${path}${path.includes('?') ? '&' : '?'}lang=fr`);
    const { code, parameter, detail } = response.json<Record<string, string>>();
    assert.equal(
      [response.status, code, parameter, detail],
      [400, 'invalid-parameter', 'lang', 'lang is "fr", expected one of en, ja, ko, zh_cn'],
    );
  });
}

language('without the language of the names, none is kept', async ({ gateway }) => {
  const { characters } = (await gateway.ask('/api/star-rail/characters?lang=ja&fields=name')).json<{
    characters: object[];
  }>();
  assert.equal(characters[3], { id: 'unit-10', name: '胡桃' });
  assert.is((await gateway.ask('/api/star-rail/characters?lang=en')).status, 400);
  assert.is((await gateway.ask('/api/tiny-game/characters?lang=ja')).status, 400);
  assert.is((await gateway.ask('/api/tiny-game/facets?lang=ja')).status, 400);
});

language('facets label values in the language; filters take the values', async ({ gateway }) => {
  const response = await gateway.ask('/api/library/facets?lang=ja&ids=class');
  assert.is(response.headers.get('content-language'), 'ja');
  const [facet] = response.json<{ records: { values: object[] }[] }>().records;
  assert.equal(facet?.values, [
    { value: 'Reader', label: '読者', count: 1 },
    { value: 'Writer', count: 1 },
  ]);
  assert.is(
    (await gateway.ask('/api/library/characters?lang=ja&class=Reader')).json<{ total: number }>().total,
    1,
  );
  const without = await gateway.ask('/api/library/facets?ids=class');
  assert.not.match(without.text, /label/);
  assert.is(without.headers.get('content-language'), null);
  const books = await gateway.ask('/api/library/books/facets?lang=ko&ids=name');
  assert.match(books.text, '{"value":"Atlas","label":"지도","count":1}');
});

language(
  'a name in a language that the game lacks is absent, any other unknown field an error',
  async ({ gateway }) => {
    const path = '/api/library/characters?ids=1&fields=';
    assert.equal((await gateway.ask(`${path}name,name_fr`)).json<{ characters: object[] }>().characters, [
      { id: '1', name: 'Owl' },
    ]);
    assert.equal((await gateway.ask('/api/library/characters/1?fields=name_fr')).json(), { id: '1' });
    assert.is((await gateway.ask(`${path}title_fr`)).status, 400);
  },
);

language('lang and columns are no attributes of records', async ({ gateway }) => {
  assert.is((await gateway.ask('/api/library/characters?columns=name')).status, 400);
});

language.run();

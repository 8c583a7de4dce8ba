import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { table } from '../../support/table.ts';

const LIBRARY = {
  'library/game.json': { title: 'Library', language: 'en' },
  'library/1/build.json': { released_at: '2026-01-01' },
  'library/1/characters.json': [
    {
      ...{ id: '1', name: 'Owl', name_ja: 'ふくろう', name_zh_cn: '猫头鹰' },
      ...{ class_id: 'c7', class: 'Reader', class_ja: '読者', moods: ['calm'], moods_ja: ['静か'] },
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
  context.gateway = await startGateway({ ...SAMPLE_GAMES, ...LIBRARY });
});
language.after(({ gateway }) => gateway.stop());

language('a record has its texts in the language, at each depth, and keeps its name', async ({ gateway }) => {
  const response = await gateway.ask('/api/library/characters/1?lang=ja');
  assert.equal(response.json(), {
    ...{ id: '1', name: 'ふくろう', name_en: 'Owl', name_ja: 'ふくろう', name_zh_cn: '猫头鹰' },
    ...{ class_id: 'c7', class: '読者', class_ja: '読者', moods: ['静か'], moods_ja: ['静か'] },
    skills: [{ name: '読む', name_ja: '読む', power: 3 }, { name: 'Nap' }],
    skins: { first: { name: '「白」', name_ja: '「白」' } },
  });
  const without = await gateway.ask('/api/library/characters/1');
  assert.equal(
    [response, without].map(({ headers }) => headers.get('content-language')),
    ['ja', null],
  );
  assert.is.not(without.headers.get('etag'), response.headers.get('etag'));
});

const SHOWN = table`
  library/characters/2?lang=ja | {"id":"2","name":"Fox","class":"Writer"}
  library/characters/1?lang=ZH_CN&fields=name | {"id":"1","name":"猫头鹰"}
  library/characters/1?lang=en&fields=name | {"id":"1","name":"Owl"}
  library/characters?lang=ja&fields=name,name_en,name_fr,class,skins.first.name | {"id":"1","name":"ふくろう","name_en":"Owl","class":"読者","skins":{"first":{"name":"「白」"}}},{"id":"2","name":"Fox","name_en":"Fox","class":"Writer"}
  library/characters?lang=ja&class=Reader&fields=class | [{"id":"1","class":"読者"}]
  library/compare?ids=1,2&lang=ja | {"key":"class","values":["読者","Writer"]
  library/characters/random?count=2&lang=ja | "name":"ふくろう"
  library/names?lang=ja | {"id":"1","name":"ふくろう"
  library/books?lang=ko | [{"id":"b1","name":"지도","name_en":"Atlas","name_ko":"지도"}]
  library/books/b1?lang=ko | {"id":"b1","name":"지도","name_en":"Atlas","name_ko":"지도"}
  library/books/facets?lang=ko&ids=name | {"value":"Atlas","label":"지도","count":1}
  library/pull_planner?lang=ja | "name":"券"
  library/facets?lang=ja&ids=class | {"value":"Reader","label":"読者","count":1},{"value":"Writer","count":1}
  star-rail/characters?lang=ja&fields=name | {"id":"unit-10","name":"胡桃"}
  star-rail/characters?lang=en | lang is
  tiny-game/characters?lang=ja | lang is
  tiny-game/facets?lang=ja | lang is
`;
for (const [path = '', expected = ''] of SHOWN)
  language(`${path} shows ${expected}`, async ({ gateway }) => {
    const { text } = await gateway.ask(`/api/${path}`);
    assert.ok(text.includes(expected), text);
  });

/** What routes need besides `lang`. */
const NEEDED: Readonly<Record<string, string>> = {
  ...{ compare: 'ids=1', search: 'q=owl', diff: 'from=1&to=1', history: 'view=summary' },
};
const hasLang = ({ path, parameters }: (typeof ROUTES)[number]) =>
  parameters.some(({ name }) => name === 'lang') && !/:token|costs/.test(path);
for (const { path } of ROUTES.filter(hasLang))
  language(`${path} takes the language alone for one of a region`, async ({ gateway }) => {
    const ids = path.includes(':dataset') ? { dataset: 'books', id: 'b1' } : { id: '1' };
    const params: Readonly<Record<string, string>> = { game: 'library', build: '1', ...ids };
    const address = path.replace(/:(\w+)/g, (_, name) => params[name] ?? '');
    const needed = NEEDED[/(compare|search|diff|history)(?=$|\.)/.exec(path)?.[0] ?? ''] ?? '';
    const { status, headers, text } = await gateway.ask(`${address}?${needed}&lang=ja-JP`);
    assert.equal([status, headers.get('content-language')], [200, 'ja'], text);
  });

language.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/json.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const described = { description: 'x' };
/** @param reference the attribute of loans that names a character */
const attributesWith = (reference: string) => ({
  '*': { '*': described, '*.*': described, '*.*.*': described },
  loans: { [reference]: { ...described, ref: 'characters' } },
});
const LIBRARY = {
  'library/game.json': { title: 'Library', language: 'en', attributes: attributesWith('x') },
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
  'library/1/loans.json': [{ id: 'l1', x: '1', y: '1' }],
};

const language = suite<{ gateway: TestGateway }>('lang');
language.before(async (context) => {
  context.gateway = await startGateway({ ...SAMPLE_GAMES, ...LIBRARY });
});

/** What routes need besides `lang`. */
const NEEDED: Readonly<Record<string, string>> = {
  compare: 'ids=1',
  search: 'q=owl',
  diff: 'from=1&to=1',
  history: 'view=summary',
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

language('is also that of names, of columns inside lists, and of each field', async ({ gateway }) => {
  const { text } = await gateway.ask('/api/library/characters.csv?columns=id,skills.name&lang=ja');
  assert.is(text, 'id,skills.name\r\n1,"読む; Nap"\r\n2,\r\n');
  assert.match((await gateway.ask('/api/library/names?lang=ja')).text, '"name":"ふくろう","name_en":"Owl"');
  const { parse } = JSON;
  const headers = { 'x-api-key': gateway.keys.pro };
  for (const query of ['', '&lang=ja'].flatMap((lang) => [`skills,skins${lang}`, `skins,skills${lang}`])) {
    let count = 0;
    JSON.parse = (...given) => {
      count++;
      return parse(...given);
    };
    await fetch(`${gateway.address}/api/library/characters?fields=${query}`, { headers });
    JSON.parse = parse;
    if (query.startsWith('skins')) assert.is(count, 2, 'each record is read once');
  }
});

/** Changes of game.json that are in no record, with addresses that show them. */
const CHANGES: [JsonObject, string][] = [
  [
    { language: 'ko', cadence_days: 9 },
    '/openapi/library.json /types/library.d.ts ~/history ~/history?view=summary ~/history/1?lang=ja ~/diff?from=1&to=1',
  ],
  [{ attributes: attributesWith('y') }, '~/compare?ids=1 ~/loans?character=1'],
];
language('and the dictionary are in the tags of what they change', async ({ gateway }) => {
  for (const [change, paths] of CHANGES) {
    const file = { ...LIBRARY['library/game.json'], ...change };
    const changed = await startGateway({ ...SAMPLE_GAMES, ...LIBRARY, 'library/game.json': file });
    for (const path of paths.replaceAll('~', '/api/library').split(' ')) {
      const asked = [gateway, changed].map(({ ask }) => ask(path));
      const [before, now] = (await Promise.all(asked)).map(({ headers }) => headers.get('etag'));
      assert.ok(now !== null && before !== now, path);
    }
    await changed.stop();
  }
});

language.run();

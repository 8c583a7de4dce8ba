import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { ROUTES } from '../../support/routes.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

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

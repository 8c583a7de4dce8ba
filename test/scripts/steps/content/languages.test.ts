import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languageOf } from '../../../../scripts/steps/content/languages.ts';
import { compileFiles, gameFiles, placesOf } from '../../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('languages of texts');

test('an id is no Indonesian, and a name is', () => {
  assert.is(languageOf('skill_id'), undefined);
  assert.is(languageOf('character_id'), undefined);
  assert.is(languageOf('name_id')?.code, 'id');
  assert.is(languageOf('skill_name_id')?.code, 'id');
});

for (const [language, fix] of [
  ['jaa', 'did you mean "ja"?'],
  ['enn', 'did you mean "en"?'],
  ['zx_cn', 'did you mean "zh_cn"?'],
] as const)
  test(`the language ${language} is unknown`, async () => {
    const files = { 'game.json': { title: 'Game', language } };
    const { findings } = await compileFiles(gameFiles(files));
    assert.equal(placesOf(findings), ['language-unknown game.json:3 /language']);
    assert.is(findings[0]?.fix?.split(';')[0], fix);
  });
for (const language of ['ja', 'zh_hant', 'kr', 'fil', 'pt_br'])
  testFindings(
    test,
    `the language ${language} is known`,
    {
      'game.json': { title: 'Game', language },
      '1.0/characters.json': manyRecords(2, () => ({ [`name_${language}`]: '名' })),
    },
    [],
  );
test('a name in an unknown language is reported once, with the nearest one, also inside lists', async () => {
  const names = { name_jaa: '名', skills: [{ name_koo: '名' }], name_sort: 'a', surname_xx: 'b' };
  const files = { '1.0/characters.json': manyRecords(2, () => names) };
  const { findings } = await compileFiles(gameFiles(files));
  assert.equal(
    findings.map(({ check, found, fix }) => [check, found, fix?.split('?')[0]]),
    [
      ['language-unknown', '"name_jaa" in characters', 'did you mean "ja"'],
      ['language-unknown', '"skills.name_koo" in characters', 'did you mean "ko"'],
    ],
  );
});

const half = (index: number) => index % 2 === 0;
testFindings(
  test,
  'a model keeps its Latin name in every language',
  {
    '1.0/characters.json': manyRecords(20, (index) =>
      half(index) ? { name: `M19${index}`, name_ja: `M19${index}` } : { name_ja: `名前${index}` },
    ),
  },
  [],
);
testFindings(
  test,
  'another Latin name in Japanese is in another script',
  {
    '1.0/characters.json': manyRecords(20, (index) => ({
      name: 'Springfield',
      name_ja: half(index) ? `Springfield` : `名前${index}`,
    })).map((record, index) => ({ ...record, name: half(index) ? 'Springfield' : `Name ${index}` })),
  },
  [
    'names-repeated 1.0/characters.json:1',
    'names-repeated 1.0/characters.json:1',
    'language-script 1.0/characters.json:2 /0',
  ],
);
testFindings(
  test,
  'new tags and regions are no new values of a category',
  twoBuilds(
    {
      characters: manyRecords(40, (index) => ({
        region: half(index) ? 'North' : 'South',
        tags: [half(index) ? 'Shy' : 'Bold'],
      })),
    },
    {
      characters: manyRecords(41, (index) =>
        index === 40
          ? { region: 'East', tags: ['Calm'] }
          : { region: half(index) ? 'North' : 'South', tags: [half(index) ? 'Shy' : 'Bold'] },
      ),
    },
  ),
  [],
);

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languageOf } from '../../../../../scripts/parts/steps/content/languages.ts';
import { manyRecords, testFindings, twoBuilds } from '../../../core/check/cases.ts';

const test = suite('languages of texts');

test('an id is no Indonesian, and a name is', () => {
  assert.is(languageOf('skill_id'), undefined);
  assert.is(languageOf('character_id'), undefined);
  assert.is(languageOf('name_id')?.code, 'id');
  assert.is(languageOf('skill_name_id')?.code, 'id');
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

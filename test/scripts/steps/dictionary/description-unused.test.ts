import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('descriptions that nothing needs');
const text = { description: 'What it is.' };
const common = { '*': text, '*.*': text };
const game = (characters: object, more: object = {}) => ({
  'game.json': JSON.stringify({
    title: 'Game',
    attributes: { characters: { id: text, name: text, ...characters }, pull_planner: common, ...more },
  }),
});

testFindings(
  test,
  'a key that no build serves is reported, with the nearest one',
  { ...game({ skills: text, 'skills.*': text, 'skills.level': text, 'skils.level': text }) },
  [
    'description-unused game.json:1 /attributes/characters/skills',
    'description-unused game.json:1 /attributes/characters/skills.*',
    'description-unused game.json:1 /attributes/characters/skills.level',
    'description-unused game.json:1 /attributes/characters/skils.level',
  ],
);
testFindings(
  test,
  'a key inside a list, one of some name, and one for all lists are served',
  {
    ...game({ skills: text, 'skills.level': text, 'stats.*': text, stats: text }, { '*': { id: text } }),
    '1.0/characters.json': manyRecords(2, () => ({ skills: [{ level: 1 }], stats: { atk: 1 } })),
  },
  [],
);
testFindings(
  test,
  'the nearest key is named',
  { ...game({ atk: text, akt: text }), '1.0/characters.json': manyRecords(2, () => ({ atk: 1 })) },
  ['description-unused game.json:1 /attributes/characters/akt'],
  /^a description of "akt" in characters, which no record has$/,
);
testFindings(
  test,
  'a collection that no build has is one finding',
  { ...game({}, { weapon: { id: text, name: text } }) },
  ['description-unused game.json:1 /attributes/weapon'],
);
for (const builds of [
  ['region', 'title', 'title'],
  ['title', 'region', 'title'],
]) {
  const ranked = { id: text, name: text, title: text, region: text, rank: text };
  const records = builds.map((key, build) =>
    manyRecords(3, (index) => ({ [key]: `A ${index}`, rank: build })),
  );
  const [first = [], second = [], third = []] = records;
  testFindings(
    test,
    `a key that one build serves is needed (${builds})`,
    {
      ...game(ranked),
      ...twoBuilds({ characters: first }, { characters: second }),
      '1.2/build.json': { released_at: '2026-01-03' },
      '1.2/characters.json': third,
    },
    builds[0] === 'region'
      ? ['field-vanished 1.1/characters.json:1']
      : ['field-vanished 1.1/characters.json:1', 'field-vanished 1.2/characters.json:1'],
  );
}

test.run();

import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check rarity-range');

const ofRarities = (...rarities: number[]) =>
  manyRecords(rarities.length, (index) => ({ rarity: rarities[index] as number }));

testFindings(
  test,
  'rarities within the range of earlier builds pass',
  twoBuilds({ characters: ofRarities(3, 6) }, { characters: ofRarities(3, 6, 4, 5) }),
  [],
);
testFindings(
  test,
  'a rarity outside that range is a finding at the first record that has it',
  twoBuilds({ characters: ofRarities(3, 6) }, { characters: ofRarities(3, 6, 7, 7) }),
  ['rarity-range 1.1/characters.json:15 /2/rarity'],
  /^the rarity 7 in 2 records of characters, first here$/,
);
testFindings(
  test,
  'each rarity outside the range is a separate finding',
  twoBuilds({ a: ofRarities(1, 2, 3) }, { a: ofRarities(0, 1, 4) }),
  ['rarity-range 1.1/a.json:5 /0/rarity', 'rarity-range 1.1/a.json:15 /2/rarity'],
);
testFindings(
  test,
  'the range is that of all builds before, not only of the last',
  {
    ...twoBuilds({ a: ofRarities(1, 5) }, { a: ofRarities(3, 3) }),
    '1.2/build.json': { released_at: '2026-01-03' },
    '1.2/a.json': ofRarities(1, 6),
  },
  ['rarity-range 1.2/a.json:10 /1/rarity'],
);
testFindings(
  test,
  'rarities in a list that had none are not a finding',
  twoBuilds({ a: manyRecords(2) }, { a: ofRarities(1, 9) }),
  [],
);

test.run();

import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check roster-loss');

const characters = manyRecords(20);
const AT_ROSTER = 'roster-loss 1.1/characters.json:1';

testFindings(
  test,
  'a roster may lose 10 % of its characters',
  twoBuilds({ characters }, { characters: characters.slice(2) }),
  ['records-lost 1.1/characters.json:1'],
);
testFindings(
  test,
  'a roster may not lose more',
  twoBuilds({ characters }, { characters: characters.slice(3) }),
  [AT_ROSTER],
  /^3 of the 20 characters of build 1\.0 are missing: id-0, id-1, id-2$/,
);
testFindings(
  test,
  'new characters do not compensate for missing ones',
  twoBuilds(
    { characters },
    {
      characters: [
        ...characters.slice(5),
        ...manyRecords(5, (index) => ({ id: `n${index}`, name: `N${index}` })),
      ],
    },
  ),
  [AT_ROSTER],
  /id-0, id-1, id-2 and 2 more$/,
);
testFindings(
  test,
  'the finding about a mapped roster is at the mapping',
  {
    ...twoBuilds({}, {}),
    'game.json': { title: 'Game', tables: { rows: 'rows.json' }, roster: { from: 'rows', entry: '$' } },
    '1.0/characters.json': undefined,
    '1.0/rows.json': characters,
    '1.1/rows.json': characters.slice(3),
  },
  ['roster-loss game.json:6 /roster'],
);

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFiles, gameFiles } from '../../../support/fixtures.ts';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check ids-renumbered');

const a = manyRecords(20);
const renumbered = (count: number) =>
  manyRecords(20, (index) => (index < count ? { id: `other-${index}` } : {}));

testFindings(
  test,
  'one name in ten may move to another id',
  twoBuilds({ characters: a }, { characters: renumbered(2) }),
  ['records-lost 1.1/characters.json:1'],
);
testFindings(
  test,
  'more than that is one finding, and is not a loss of characters',
  twoBuilds({ characters: a }, { characters: renumbered(20) }),
  ['ids-renumbered 1.1/characters.json:1'],
  /^other ids for 20 names of characters: "Name 0" is other-0 and was id-0, /,
);
testFindings(
  test,
  'ids that all still exist count as renumbered if each now belongs to another record',
  twoBuilds({ a }, { a: manyRecords(20, (index) => ({ name: `Name ${(index + 1) % 20}` })) }),
  ['ids-renumbered 1.1/a.json:1'],
);
testFindings(
  test,
  'names that several records share do not count',
  twoBuilds(
    { a: manyRecords(20, (index) => ({ name: `Soldier ${index % 2}` })) },
    { a: manyRecords(20, (index) => ({ id: `other-${index}`, name: `Soldier ${index % 2}` })) },
  ),
  [],
);
testFindings(
  test,
  'one record alone may have another id',
  twoBuilds({ a: [{ id: '1', name: 'A' }] }, { a: [{ id: '2', name: 'A' }] }),
  [],
);

testFindings(
  test,
  'records without names of their own are matched by all that is in them',
  twoBuilds(
    { a: manyRecords(9, (index) => ({ name: 'Soldier', atk: index })).slice(0, 4) },
    { a: manyRecords(9, (index) => ({ id: `other-${index}`, name: 'Soldier', atk: index })).slice(0, 4) },
  ),
  ['ids-renumbered 1.1/a.json:1'],
  /^other ids for 4 names of a: "id-0" is other-0 and was id-0, /,
);
testFindings(
  test,
  'names that moved while all else stayed with the ids are values that moved',
  twoBuilds(
    { a: manyRecords(9, (index) => ({ atk: index * index, def: index })) },
    { a: manyRecords(9, (index) => ({ name: `Name ${(index + 1) % 9}`, atk: index * index, def: index })) },
  ),
  ['values-moved 1.1/a.json:1'],
);

test('the finding proposes all pairs, ready to paste, and has them as members', async () => {
  const files = twoBuilds({ characters: a }, { characters: renumbered(20) });
  const { findings } = await compileFiles(gameFiles(files));
  const [finding] = findings;
  assert.match(finding?.fix ?? '', '"renamed": {"characters":{"id-0":"other-0",');
  assert.is(Object.keys(finding?.renamed?.characters ?? {}).length, 20);
});

test.run();

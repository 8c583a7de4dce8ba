import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../cases.ts';

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

test.run();

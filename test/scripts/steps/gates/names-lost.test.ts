import { suite } from 'uvu';
import { manyRecords, testFindings, twoBuilds } from '../../check/cases.ts';

const test = suite('check names-lost');

const named = manyRecords(4, (index) => ({ name_ja: `名${index}`, name_ko: `이름${index}` }));

testFindings(
  test,
  'names may change, and new records may lack one',
  twoBuilds(
    { characters: named },
    { characters: [...named.map((record) => ({ ...record, name_ja: '新' })), { id: 'new', name: 'New' }] },
  ),
  ['names-changed 1.1/characters.json:1'],
);
testFindings(
  test,
  'a single name lost is a finding at its record',
  twoBuilds(
    { characters: named },
    { characters: named.map((record, index) => (index === 2 ? { ...record, name_ja: '' } : record)) },
  ),
  ['names-lost 1.1/characters.json:14 /2'],
  /^no "name_ja" in 1 of 4 records of characters: id-2$/,
);
testFindings(
  test,
  'a language that is missing in all records is one finding, at the list',
  twoBuilds({ a: named }, { a: named.map(({ name_ko, ...record }) => record) }),
  ['names-lost 1.1/a.json:1'],
  /^no "name_ko" in 4 of 4 records of a: id-0, id-1, id-2 and 1 more$/,
);
testFindings(
  test,
  'the name of a removed record is not a finding',
  twoBuilds({ a: named }, { a: named.slice(1) }),
  [],
);

test.run();

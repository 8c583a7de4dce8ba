import { suite } from 'uvu';
import { linesOf, mappedAsIs, testFindings } from './cases.ts';

const test = suite('check character-schema');

const GOOD = [
  '{"id": "a.B_c~1-", "name": "A", "rarity": 5, "attack": "magic", "stats": {"hp": 1.5}, "name_ja": "ア"}',
  '{"id": "b", "name": "B", "class": "x", "stats": {}, "name_zh_cn": ""}',
  '{"id": "...", "name": "C"}',
  '{"id": 7, "name": "D"}',
];
testFindings(
  test,
  'records that match the core schema pass unmapped',
  { '1.0/characters.json': linesOf(...GOOD) },
  [],
);
testFindings(
  test,
  'records that match the core schema pass mapped',
  mappedAsIs('characters', linesOf(...GOOD)),
  [],
);

const bad: [record: string, pointer: string, found: RegExp][] = [
  ['{"name": "B"}', '', /no "id"/],
  ['{"id": "b"}', '', /no "name"/],
  ['{"id": "b", "name": ""}', '/name', /the text ""/],
  ['{"id": "b", "name": 5}', '/name', /the number 5/],
  ['{"id": "b", "name": null}', '/name', /^null/],
  ['{"id": "", "name": "B"}', '/id', /the text ""/],
  ['{"id": true, "name": "B"}', '/id', /the boolean true/],
  ['{"id": "b/c", "name": "B"}', '/id', /the text "b\/c"/],
  ['{"id": "b c", "name": "B"}', '/id', /the text "b c"/],
  ['{"id": "b,c", "name": "B"}', '/id', /the text "b,c"/],
  ['{"id": "é", "name": "B"}', '/id', /the text "é"/],
  ['{"id": "..", "name": "B"}', '/id', /the text "\.\."/],
  ['{"id": 1.5e300, "name": "B"}', '/id', /the text "1\.5e\+300"/],
  [`{"id": "${'b'.repeat(129)}", "name": "B"}`, '/id', /the text "b+/],
  ['{"id": "b", "name": "B", "rarity": 4.5}', '/rarity', /the number 4\.5/],
  ['{"id": "b", "name": "B", "rarity": "5"}', '/rarity', /the text "5"/],
  ['{"id": "b", "name": "B", "attack": 1}', '/attack', /the number 1/],
  ['{"id": "b", "name": "B", "stats": [1]}', '/stats', /a list of 1/],
  ['{"id": "b", "name": "B", "stats": {"a/k": "9"}}', '/stats/a~1k', /the text "9"/],
  ['{"id": "b", "name": "B", "stats": {"a": {"b": 1}}}', '/stats/a', /an object/],
  ['{"id": "b", "name": "B", "name_ja": 1}', '/name_ja', /the number 1/],
];
for (const [record, pointer, found] of bad) {
  const rows = linesOf(record);
  testFindings(
    test,
    `${record.slice(0, 60)} is a finding in its file`,
    { '1.0/characters.json': rows },
    [`character-schema 1.0/characters.json:2 /0${pointer}`],
    found,
  );
  testFindings(
    test,
    `${record.slice(0, 60)} is a finding at its row when mapped`,
    mappedAsIs('characters', rows),
    ['character-schema 1.0/raw/rows.json:2 /0'],
    new RegExp(`${found.source}.* ${pointer === '' ? 'in' : `at "${pointer}" of`} the compiled record`),
  );
}

testFindings(
  test,
  'one record can have several findings, and so can several records',
  { '1.0/characters.json': linesOf('{"id": "/", "rarity": "x"}', '{"id": "b", "name": "B", "attack": 1}') },
  [
    'character-schema 1.0/characters.json:2 /0',
    'character-schema 1.0/characters.json:2 /0/id',
    'character-schema 1.0/characters.json:2 /0/rarity',
    'character-schema 1.0/characters.json:3 /1/attack',
  ],
);

testFindings(
  test,
  'a record of a CSV file is named by its line and column',
  { '1.0/characters.json': undefined, '1.0/characters.csv': 'id,name,stats.hp\na,"A\nA",1\nb,B,x\n' },
  ['character-schema 1.0/characters.csv:2 /0/stats/hp', 'character-schema 1.0/characters.csv:4 /1/stats/hp'],
  /the text "1"/,
);

test.run();

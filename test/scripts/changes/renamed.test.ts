import { suite } from 'uvu';
import type { Json } from '../../../scripts/format/dist-format.ts';
import type { Files } from '../../support/fixtures.ts';
import { manyRecords, table, testFindings, testRows, twoBuilds } from '../check/cases.ts';

const test = suite('check renamed');

/** The first two of twenty characters have other ids in the later build, and the dataset `d` has no ids. */
const step = (renamed: string, later: Record<string, Json> = {}): Files => ({
  ...twoBuilds(
    { characters: manyRecords(20), d: [{ cost: 1 }] },
    {
      characters: manyRecords(20, (index) => (index < 2 ? { id: `new-${index}` } : {})),
      d: [{ cost: 1 }],
      ...later,
    },
  ),
  '1.1/build.json': `{"released_at": "2026-01-02",\n"renamed":\n${renamed}}`,
});

testRows(
  test,
  table`
    {"characters": {"id-0": "new-0", "id-1": "new-1"}} |
    {"characters": {}}           | records-lost 1.1/characters.json:1
    {"charcters": {"id-0": "new-0"}} | renamed 1.1/build.json:3 /renamed/charcters; records-lost 1.1/characters.json:1 | "charcters", which is no list of records with ids in the build before
    {"characters": {"id-0": "new-0", "id-1": "new-1"}, "d": {"a": "b"}} | renamed 1.1/build.json:3 /renamed/d | "d", which is no list of records with ids in the build before
    {"characters": {"id-0": "new-0", "id-1": "new-1", "id-20": "new-2"}} | renamed 1.1/build.json:3 /renamed/characters/id-20 | no record "id-20" in the build before
    {"characters": {"id-0": "new-0", "id-1": "nwe-1"}} | renamed 1.1/build.json:3 /renamed/characters/id-1 | no record "nwe-1" in this build…did you mean "new-1"?
    {"characters": {"id-0": "new-0", "id-1": "new-0"}} | renamed 1.1/build.json:3 /renamed/characters/id-1 | a second record with the new id "new-0"
    [{"id-0": "new-0"}]          | definition 1.1/build.json:2 /renamed
    {"characters": "new"}        | definition 1.1/build.json:2 /renamed
    {"characters": {"id-0": 7}}  | definition 1.1/build.json:2 /renamed
    {"characters": {"id-0": ""}} | definition 1.1/build.json:2 /renamed
    "../1.1.json"                | definition 1.1/build.json:2 /renamed
    "renamed/none.json"          | renamed 1.1/build.json:2 /renamed
  `,
  step,
);
/** What the file has that "renamed" names. */
testRows(
  test,
  table`
    {"characters": {"id-0": "new-0", "id-1": "new-1"}}                          |
    {"characters":¶{"id-0": "new-0", "id-1": "new-1",¶"id-20": "new-2"}}        | renamed renamed/1.1.json:3 /characters/id-20
    {                                                                           | file-syntax renamed/1.1.json:1
    {¶"characters": ["id-0"]}                                                   | renamed renamed/1.1.json:2 /characters
  `,
  (content) => ({ ...step('"renamed/1.1.json"'), 'renamed/1.1.json': content }),
);
testFindings(
  test,
  'two records that have each other’s ids',
  step('{"characters": {"id-0": "id-1", "id-1": "id-0"}}', {
    characters: manyRecords(20, (index) => (index < 2 ? { name: `Name ${1 - index}` } : {})),
  }),
  [],
);
testFindings(
  test,
  'renumbered records in the first build',
  { '1.0/build.json': { released_at: '2026-01-01', renamed: { characters: { a: 'ann' } } } },
  ['renamed 1.0/build.json:4 /renamed/characters'],
  /^renumbered records in the first build$/,
);

test.run();

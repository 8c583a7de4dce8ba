import { suite } from 'uvu';
import { linesOf, mappedAsIs, table, testFindings, testRows } from './cases.ts';

const test = suite('characters, ids and datasets');

const roster = (records: string) => ({ '1.0/characters.json': linesOf(...records.split(' , ')) });
testRows(
  test,
  table`
    {"id": "a.B_c~1-", "name": "A", "rarity": 5, "stats": {"hp": 1.5}, "name_ja": "ア"} , {"id": 7, "name": "D"} |
    {"id": "b", "name": "B", "class": "x", "stats": {}, "name_zh_cn": ""} , {"id": "...", "name": "C"} |
    {"name": "B"}                                   | character-schema 1.0/characters.json:2 /0            | no "id"
    {"id": "b"}                                     | character-schema 1.0/characters.json:2 /0            | no "name"
    {"id": "b", "name": ""}                         | character-schema 1.0/characters.json:2 /0/name       | the text ""
    {"id": "", "name": "B"}                         | character-schema 1.0/characters.json:2 /0/id         | the text ""
    {"id": true, "name": "B"}                       | character-schema 1.0/characters.json:2 /0/id         | the boolean true
    {"id": "b/c", "name": "B"}                      | character-schema 1.0/characters.json:2 /0/id         | the text "b/c"
    {"id": "..", "name": "B"}                       | character-schema 1.0/characters.json:2 /0/id         | the text ".."
    {"id": "b", "name": "B", "rarity": 4.5}         | character-schema 1.0/characters.json:2 /0/rarity     | the number 4.5
    {"id": "b", "name": "B", "attack": 1}           | character-schema 1.0/characters.json:2 /0/attack     | the number 1
    {"id": "b", "name": "B", "stats": {"a/k": "9"}} | character-schema 1.0/characters.json:2 /0/stats/a~1k | the text "9"
    {"id": "b", "name": "B", "stats": {"a": null}}  | character-schema 1.0/characters.json:2 /0/stats/a    | null…a value of type number, or nothing where it is not known
    {"id": "b", "name": "B", "stats": {"a": {"b": 1}}} | character-schema 1.0/characters.json:2 /0/stats/a | an object
    {"id": "b", "name": "B", "name_ja": 1}          | character-schema 1.0/characters.json:2 /0/name_ja    | the number 1
    {"id": "/", "name": "A"} , {"id": "b", "name": "B", "attack": 1} | character-schema 1.0/characters.json:2 /0/id; character-schema 1.0/characters.json:3 /1/attack
    {"id": "a", "name": "A"} , {"id": "a", "name": "B"} | ids 1.0/characters.json:3 /1/id | no other record has; 1.0/characters.json /0 has this one
  `,
  roster,
);
testRows(
  test,
  table`
    {"name": "B"}           | character-schema 1.0/raw/rows.json:2 /0 | no "id"…in the compiled record
    {"id": "b", "name": 5}  | character-schema 1.0/raw/rows.json:2 /0 | the number 5…at "/name" of the compiled record
    {"id": "a", "name": "A"} , {"id": "a", "name": "B"} | ids 1.0/raw/rows.json:3 /1 | a second time…at "/id" of the compiled record
  `,
  (records) => mappedAsIs('characters', linesOf(...records.split(' , '))),
);
const LONG = `{"id": "${'b'.repeat(129)}", "name": "B"}`;
testFindings(test, 'an id of 129 characters', roster(LONG), ['character-schema 1.0/characters.json:2 /0/id']);
testFindings(
  test,
  'a record of a CSV file is named by its line and column',
  { '1.0/characters.json': undefined, '1.0/characters.csv': 'id,name,stats.hp\na,"A\nA",1\nb,B,x\n' },
  ['character-schema 1.0/characters.csv:2 /0/stats/hp', 'character-schema 1.0/characters.csv:4 /1/stats/hp'],
  /the text "1"/,
);

testRows(
  test,
  table`
    {"id": "a"} , {"id": "A"} , {"id": 1}          |
    {"x": 1} , {"x": 1}                            |
    {"id": "__proto__"} , {"id": "constructor"}    |
    {"id": "a"} , {"id": "b"} , {"id": "a"}        | ids 1.0/d.json:4 /2/id | "a" a second time
    {"id": "1"} , {"id": 1}                        | ids 1.0/d.json:3 /1/id | "1" a second time
    {"id": "a"} , {"x": 1}                         | ids 1.0/d.json:3 /1/id | nothing; an id, since other records of d have one
    {"id": "a"} , {"id": ""}                       | ids 1.0/d.json:3 /1/id | the text ""
    {"id": "a,b"}                                  | ids 1.0/d.json:2 /0/id | the text "a,b"; an id: a text without commas, not empty
  `,
  (records) => ({ '1.0/d.json': linesOf(...records.split(' , ')) }),
);

const mapped = (key: string) => ({
  'game.json': `{"title": "Game", "datasets":\n{\n"${key}": "{ 'a': 1 }"}}`,
});
for (const key of ['a', 'level_costs', 'a1_2', 'constructor', 'x'.repeat(64)])
  testFindings(test, `"${key}" is a valid key of a dataset`, mapped(key), []);
testFindings(test, '"constructor" is a valid name of a file', { '1.0/constructor.json': [] }, []);
for (const key of ['compare', 'history', 'snapshot', 'diff', 'facets'])
  testFindings(test, `"${key}" is reserved`, { [`1.0/${key}.json`]: [] }, [`dataset-keys 1.0/${key}.json:1`]);
for (const key of ['characters', 'facets', 'Banners', '_a', '__proto__', '', 'x'.repeat(65)])
  testFindings(test, `"${key}" is not a valid key of a dataset`, mapped(key), [
    `dataset-keys game.json:3 /datasets/${key}`,
  ]);
testFindings(
  test,
  'a file of characters beside a mapped roster says what to do with it',
  { ...mappedAsIs('characters', '[{"id": "a", "name": "A"}]'), '1.0/characters.json': [] },
  ['dataset-keys 1.0/characters.json:1'],
);

const second = { '1.1/build.json': { released_at: '2026-01-02' } };
testRows(
  test,
  table`
    {} | required-datasets 1.0/pull_planner.json:1 | an empty dataset "pull_planner" in build 1.0
    [] | required-datasets 1.0/pull_planner.json:1
    {"currency": "Gem"} |
    { | file-syntax 1.0/pull_planner.json:1
  `,
  (content) => ({ '1.0/pull_planner.json': content, ...(content === '{' && second) }),
);
testFindings(
  test,
  'pull_planner is required of every build',
  { '1.1/build.json': { released_at: '2026-01-02', removed: ['pull_planner.json'] } },
  ['required-datasets 1.1/build.json:1'],
  /no dataset "pull_planner" in build 1\.1/,
);

const rosters: [why: string, files: Parameters<typeof testFindings>[2], findings: string[]][] = [
  ['empty', { '1.0/characters.json': [] }, ['roster-size 1.0/characters.json:1']],
  ['absent', { '1.0/characters.json': undefined }, ['roster-size 1.0/build.json:1']],
  ['mapped, and keeps no row', mappedAsIs('characters', '[]'), ['roster-size game.json:1 /roster']],
  [
    'absent, beside an error in another file',
    { '1.0/characters.json': undefined, '1.0/items.json': '[' },
    ['roster-size 1.0/build.json:1', 'file-syntax 1.0/items.json:1'],
  ],
  ['not to be parsed', { '1.0/characters.json': '[', ...second }, ['file-syntax 1.0/characters.json:1']],
  ['of a table that cannot be parsed', mappedAsIs('characters', '['), ['file-syntax 1.0/raw/rows.json:1']],
  [
    'of a table without a file',
    { ...mappedAsIs('characters', ''), '1.0/raw/rows.json': undefined },
    ['table-files game.json:1 /tables/rows'],
  ],
  [
    'of an optional table without a file',
    {
      'game.json':
        '{"title": "G", "tables": {"rows": {"files": "r.json", "optional": true}}, "roster": {"from": "rows", "entry": "$"}}',
      '1.0/characters.json': undefined,
    },
    ['roster-size game.json:1 /roster'],
  ],
];
for (const [why, files, findings] of rosters) testFindings(test, `a roster that is ${why}`, files, findings);

test.run();

import { execFileSync } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { locateFindings } from '../../../scripts/check/report.ts';
import { compileGame } from '../../../scripts/compile/game.ts';
import { readInstant } from '../../../scripts/read/schema.ts';
import {
  compileFiles,
  type Files,
  gameFiles,
  inFolder,
  placesOf,
  withFolder,
} from '../../support/fixtures.ts';
import { table, testFindings, testRows } from '../check/cases.ts';

const test = suite('game and build definitions');

/** What game.json has. */
testRows(
  test,
  table`
                                                       | file-syntax game.json:1                        | well-formed JSON
    {¶"title": "Game",¶}                               | file-syntax game.json:3                        | well-formed JSON
    []                                                 | definition game.json:1                         | a value of type object
    {}                                                 | definition game.json:1                         | "title" to be present
    {¶"title": 1}                                      | definition game.json:2 /title                  | a value of type string
    {"title": ""}                                      | definition game.json:1 /title                  | a text that is not empty
    {"title": "G",¶"titel": "G"}                       | definition game.json:2 /titel                  | one of title, …tables, roster, datasets, schemas, attributes, …changes
    {"title": "G", "rosters": {}}                      | definition game.json:1 /rosters                | did you mean "roster"?
    {"title": "G", "tables": []}                       | definition game.json:1 /tables                 | a value of type object
    {"title": "G", "tables": {"a-b": "a.json"}}        | definition game.json:1 /tables/a-b             | letters, digits and _
    {"title": "G", "tables": {"t": 1}}                 | definition game.json:1 /tables/t               | a path inside the build's folder
    {"title": "G", "tables": {"t": "../t.json"}}       | definition game.json:1 /tables/t               | a path inside the build's folder
    {"title": "G", "tables": {"t": "a/../../t.json"}}  | definition game.json:1 /tables/t               | a path inside the build's folder
    {"title": "G", "tables": {"t": {"files": "t.json", "at": "x"}}}        | definition game.json:1 /tables/t/at        | a JSON Pointer
    {"title": "G", "tables": {"t": {"files": "t.json", "kye": "x"}}}       | definition game.json:1 /tables/t/kye       | did you mean "key"?…one of files, at, optional, key, many, skip_keyless, format,
    {"title": "G", "tables": {"t": {"files": "t.json", "key": []}}}        | definition game.json:1 /tables/t/key       | the name of a field, or a list of names
    {"title": "G", "tables": {"t": {"files": "t.json", "many": true}}}     | definition game.json:1 /tables/t           | "many" without "key"
    {"title": "G", "regions": {"jp": "jp/"}, "tables": {"t": {"files": "t.json", "regions": ["jp"]}, "t_jp": "t.json"}} | definition game.json:1 /tables | "t_jp", the name of the table of a region and of another table
    {"title": "G", "tables": {"t": {"at": ""}}}                            | definition game.json:1 /tables/t           | "files" to be present
    {"title": "G", "tables": {"t": {"files": "t.csv", "header": 0}}}       | definition game.json:1 /tables/t/header    | the line of the header row, from 1
    {"title": "G", "tables": {"t": {"files": "t.csv", "columns": {"id": "date"}}}} | definition game.json:1 /tables/t/columns/id | one of string, number, boolean
    {"title": "G", "tables": {"t": {"files": "t", "format": "xml"}}}       | definition game.json:1 /tables/t/format    | one of json, jsonl, 
    {"title": "G", "roster": {"from": "t"}}            | definition game.json:1 /roster                 | "entry" to be present
    {"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "t", "entry": 1}}    | definition game.json:1 /roster/entry | an expression: a text, a list of its lines, or {"file"
    {"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "t", "entry": {"file": "../e.jsonata"}}} | definition game.json:1 /roster/entry | inside the game
    {"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "t", "entry": {"file": "e.json"}}} | definition game.json:1 /roster/entry | inside the game
    {"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "t", "entry": "$", "form": "x"}} | definition game.json:1 /roster/form | did you mean "from"?…one of from, entry, where, record
    {"title": "G", "datasets": {"d": true}}            | definition game.json:1 /datasets/d             | an expression: …"from"
    {"title": "G", "roster": {"from": "t", "entry": "$"}} | mapping-tables game.json:1 /roster/from     | declared under "tables"
    {"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "u", "entry": "$"}}                | mapping-tables game.json:1 /roster/from            | one of t
    {"title": "G", "tables": {"t": "t.json"}, "datasets": {"d": {"from": "u", "entry": "$"}}}       | mapping-tables game.json:1 /datasets/d/from        | one of t
    {"title": "G", "tables": {"t": "t.json"}, "datasets": {"d": "$sum("}}                           | expression-syntax game.json:1 /datasets/d          | JSONata expression
    {"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "t", "entry": "$", "record": ["{", " 1 }"]}} | expression-syntax game.json:1 /roster/record | JSONata
    {"title": "G", "regions": {"jp": "jp/"}, "tables": {"t": {"files": "t.json", "regions": ["jp", "cn"]}}} | definition game.json:1 /tables/t/regions | the region "cn"
    /* A game. */ {"$schema": "x", "title": "G" /* short */} |
  `,
  (game) => ({ 'game.json': game, '1.0/t.json': [], '1.0/jp/t.json': [] }),
);

/** What build.json has. */
testRows(
  test,
  table`
    {"released_at": }                                       | file-syntax 1.0/build.json:1                | well-formed JSON
    {}                                                      | definition 1.0/build.json:1                 | "released_at" to be present
    {"released_at": "2026-02-30"}                           | definition 1.0/build.json:1 /released_at    | ISO 8601
    {"released_at": "2026-02-01T11:00:00"}                  | definition 1.0/build.json:1 /released_at    | with a time zone
    {"released_at": "2026-01-01",¶"version": "1"}           | definition 1.0/build.json:2 /version        | one of released_at, released_in, note, from, package, removed, amended, carried
    {"released_at": "2026-01-01", "as_of": {"characters": "2026-13-01"}} | definition 1.0/build.json:1 /as_of/characters | a day
    {"released_at": "2026-01-01", "as_of": {"heroes": "2025-12-01"}} | build-definition 1.0/build.json:1 /as_of/heroes | one of characters, pull_planner
    {"released_at": "2026-01-01", "amended": [{"at": "2026-01-02", "reason": "r", "changes": "amendments/1.json"}]} | build-definition amendments/1.json:4 /characters/changed/0
    {"released_at": "2026-01-01", "removed": "a.json"}      | definition 1.0/build.json:1 /removed        | a value of type array
    {"released_at": "2026-01-01", "removed": ["a", "b\n/../../c"]} | definition 1.0/build.json:1 /removed/1      | without ".", ".."
    {"released_at": "2026-01-01", "released_in": {"kr": "2026-01-02", "jpp": "2026-01-03"}} | definition 1.0/build.json:1 /released_in/jpp
    {"$schema": "x",¶// first¶"released_at": "2026-01-01"}  |
  `,
  (build) => ({
    'game.json': { title: 'G', regions: { jp: 'jp/', kr: 'kr/' } },
    'amendments/1.json': { characters: { changed: [''] }, datasets: {} },
    '1.0/build.json': build,
  }),
);

const second = (file: string): Files => ({ [file]: { released_at: '2026-01-02' } });
const CASES: [what: string, files: Files, findings: string[]][] = [
  ['a folder without a build.json', { '2.0/characters.json': [] }, ['build-definition 2.0:1']],
  [
    'such a folder beside a broken game.json, which may name it',
    { 'game.json': '{"title": "G"', 'mapping/entry.jsonata': '{}' },
    ['file-syntax game.json:1'],
  ],
  ['a hidden folder with a build.json', second('.1.1/build.json'), ['build-definition .1.1:1']],
  [
    'two builds with the same time in different time zones',
    { '1.1/build.json': { released_at: '2026-01-01T09:00:00+09:00' } },
    ['build-order 1.1/build.json:2 /released_at'],
  ],
  [
    'errors in a mapping and in a file',
    {
      'game.json': '{"title": "G", "tables": {"t": "t.json"}, "roster": {"from": "t", "entry": "{"}}',
      '1.0/t.json': '[',
    },
    ['file-syntax 1.0/t.json:1', 'expression-syntax game.json:1 /roster/entry'],
  ],
  [
    'faults in all definitions at once',
    {
      'game.json': { title: '', tables: { 'a-b': '../x' }, more: 1 },
      '1.0/build.json': { released_at: 'yesterday', removed: ['..'] },
      'latest/build.json': '{',
    },
    [
      'definition 1.0/build.json:2 /released_at',
      'definition 1.0/build.json:4 /removed/0',
      'definition game.json:2 /title',
      'definition game.json:4 /tables/a-b',
      'definition game.json:4 /tables/a-b',
      'definition game.json:6 /more',
      'build-name latest/build.json:1',
      'file-syntax latest/build.json:1',
    ],
  ],
  ...['latest', 'b c', '-1', 'a'.repeat(65)].map((name): [string, Files, string[]] => [
    `a build named ${name}`,
    second(`${name}/build.json`),
    [`build-name ${name}/build.json:1`],
  ]),
];
for (const [what, files, findings] of CASES) testFindings(test, what, files, findings);

test('a game without builds is a finding with an example of a build.json', async () => {
  const { findings } = await compileFiles({ 'game.json': { title: 'Game' } });
  assert.equal(placesOf(findings), ['build-definition game.json:1']);
  assert.match(findings[0]?.fix ?? '', '"released_at"');
});

test('builds are ordered by time, not by name, and their times are in UTC', async () => {
  const { builds, findings } = await compileFiles(
    gameFiles({
      'a/build.json': { released_at: '2026-01-03T01:30:00+09:00', note: 'Second.' },
      'b/build.json': { released_at: '2026-01-03T00:00:00.500Z' },
    }),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ build, released_at, note }) => [build, released_at, note]),
    [
      ['1.0', '2026-01-01T00:00:00Z', null],
      ['a', '2026-01-02T16:30:00Z', 'Second.'],
      ['b', '2026-01-03T00:00:00.500Z', null],
    ],
  );
});

/** Compiles `game/` of a folder after something was done to it. @returns the places of findings inside it, and whether it has a result */
async function compileAfter(files: Files, prepare: (game: string) => unknown): Promise<[string[], boolean]> {
  return await withFolder(files, async (folder) => {
    const game = path.join(folder, 'game');
    await prepare(game);
    const { value, findings } = await compileGame(game, 'game');
    const places = placesOf(await locateFindings(findings));
    return [places.map((place) => place.replace(`${game}/`, '')), value !== undefined];
  });
}

const LINKED = {
  'elsewhere/build.json': { released_at: '2026-01-02' },
  'elsewhere/a.json': {},
  ...inFolder(
    'game',
    gameFiles({
      'game.json': {
        title: 'G',
        tables: { t: { files: 'raw/**/*.json', optional: true } },
        datasets: { d: 't' },
      },
    }),
  ),
};
/** A link's name in a game's folder, its target, and the finding about it: it is neither followed nor silently ignored. */
const LINKS = table`
  1.1            | ../elsewhere      | build-definition 1.1:1
  1.1            | 1.0               | build-definition 1.1:1
  1.1            | nowhere           | build-definition 1.1:1
  readme.txt     | game.json         |
  1.0/raw        | ../../elsewhere   | table-files 1.0/raw:1
  1.0/raw/c.json | a.json            | table-files 1.0/raw/c.json:1
  1.0/raw/c.json | nowhere           | table-files 1.0/raw/c.json:1
  1.0/raw/c      | ../raw            | table-files 1.0/raw/c:1
  1.0/items.json | pull_planner.json | table-files 1.0/items.json:1
`;
for (const [name = '', target = '', place = ''] of LINKS)
  test(`a link ${name} to ${target}: ${place || 'no finding'}`, async () => {
    const raw: Files = name === '1.0/raw' ? {} : { 'game/1.0/raw/a.json': { name: 'A' } };
    const outcome = await compileAfter({ ...LINKED, ...raw }, (game) =>
      symlink(target, path.join(game, name)),
    );
    assert.equal(outcome, [place === '' ? [] : [place], place === '']);
  });

test("a link instead of a game's folder, and a pipe instead of game.json, are findings", async () => {
  await withFolder(inFolder('elsewhere', gameFiles()), async (folder) => {
    await symlink('elsewhere', path.join(folder, 'game'));
    const { value, findings } = await compileGame(path.join(folder, 'game'), 'game');
    assert.equal([value, findings.map(({ check }) => check)], [undefined, ['slug']]);
  });
  const pipe = (game: string) => execFileSync('mkfifo', [path.join(game, 'game.json')]);
  assert.equal((await compileAfter(inFolder('game', gameFiles({ 'game.json': undefined })), pipe))[0], [
    'file-text game.json:1',
  ]);
});

// Root can read everything.
for (const [name, finding] of process.getuid?.() === 0
  ? []
  : table`
    1.0/raw | file-text 1.0/raw:1
    2.0     | file-text 2.0/build.json:1
  `)
  test(`a folder ${name} without read permission is a finding`, async () => {
    await withFolder(gameFiles({ ...second('2.0/build.json'), '1.0/raw/a.json': {} }), async (folder) => {
      const locked = path.join(folder, name ?? '');
      await chmod(locked, 0);
      const { findings } = await compileGame(folder, 'game').finally(() => chmod(locked, 0o755));
      assert.is(
        placesOf(await locateFindings(findings))
          .join()
          .replace(`${folder}/`, ''),
        finding,
      );
    });
  });

/** Times, and what they are in UTC; those without are not valid. */
const INSTANTS = table`
  2026-02-25                | 2026-02-25T00:00:00Z
  2024-02-29                | 2024-02-29T00:00:00Z
  2026-02-25T11:00Z         | 2026-02-25T11:00:00Z
  2026-02-25T11:00:00Z      | 2026-02-25T11:00:00Z
  2026-02-25T11:00:00.25Z   | 2026-02-25T11:00:00.250Z
  2026-02-25T11:00:00.123456Z | 2026-02-25T11:00:00.123Z
  2026-02-25T11:00:00+08:00 | 2026-02-25T03:00:00Z
  2026-02-25T23:00:00-05:30 | 2026-02-26T04:30:00Z
  2026-02-30 |
  2026-02-29T00:00:00Z |
  2026-13-01 |
  2026-01-01T25:00:00Z |
  2026-02-25T11:00:00 |
  2026-02-25 11:00:00Z |
  2026 |
  9999-12-31T23:00:00-02:00 |
`;
test('times are read as UTC, and others are refused', () => {
  for (const [text = '', utc] of INSTANTS) assert.is(readInstant(text), utc || undefined, text);
});

test.run();

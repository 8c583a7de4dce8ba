import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles, placesOf } from '../../support/fixtures.ts';
import { table, testFindings, testRows } from '../check/cases.ts';

const test = suite('changes of a mapping');

/** Three builds: upstream renames the file and its attributes in the second and adds a table in the third. */
function changingGame(changes: Json, game: JsonObject = {}, files: Files = {}): Files {
  return gameFiles({
    'game.json': {
      title: 'Game',
      tables: { units: 'raw/units.json' },
      roster: {
        from: 'units',
        where: 'n != ""',
        entry: "{ 'id': $key, 'name': n }",
        record: "{ 'stars': s }",
      },
      datasets: { top: "{ 'stars': $max(units.*.s) }" },
      ...game,
      changes,
    },
    '1.0/characters.json': undefined,
    '1.0/raw/units.json': { a: { n: 'Ann', s: 4 } },
    '1.1/build.json': { released_at: '2026-01-02' },
    '1.1/raw/heroes.json': { a: { name: 'Anne', rank: 5 } },
    '1.2/build.json': { released_at: '2026-01-03' },
    '1.2/raw/skins.json': [{ id: 's' }],
    ...files,
  });
}

const RENAMED = {
  from: '1.1',
  tables: { units: 'raw/heroes.json' },
  roster: { where: 'name != ""', entry: "{ 'id': $key, 'name': name }", record: "{ 'stars': rank }" },
  datasets: { top: null },
};
const ADDED = {
  from: '1.2',
  tables: { skins: 'raw/skins.json' },
  roster: { where: null, record: null },
  datasets: { skins: { from: 'skins', entry: '$' } },
};

/** A build.json that confirms the changes in the step to the build. */
function meaning(released_at: string, ...checks: string[]): JsonObject {
  return { released_at, overrides: checks.map((check) => ({ check, reason: 'The mapping changes.' })) };
}

test('a change applies from its build on, and only to what it names', async () => {
  // The order of the builds matters, not the order in which changes are written.
  for (const changes of [
    [RENAMED, ADDED],
    [ADDED, RENAMED],
  ]) {
    const { builds, findings } = await compileFiles(
      changingGame(changes, {}, { '1.1/build.json': meaning('2026-01-02', 'dataset-gone') }),
    );
    assert.equal(findings, []);
    assert.equal(
      builds.map(({ characters }) => characters),
      [
        [{ id: 'a', name: 'Ann', stars: 4 }],
        [{ id: 'a', name: 'Anne', stars: 5 }],
        [{ id: 'a', name: 'Anne' }],
      ],
    );
    assert.equal(
      builds.map(({ datasets: { top, skins } }) => [top, skins]),
      [
        [{ stars: 4 }, undefined],
        [undefined, undefined],
        [undefined, [{ id: 's' }]],
      ],
    );
  }
});

test('the roster is the file characters.json while it has no mapping', async () => {
  const change = { from: '1.1', roster: null, tables: { units: null }, datasets: { top: null } };
  const back = {
    from: '1.2',
    tables: RENAMED.tables,
    roster: { from: 'units', entry: RENAMED.roster.entry },
  };
  const { builds, findings } = await compileFiles(
    changingGame(
      [change, back],
      {},
      {
        '1.1/build.json': meaning('2026-01-02', 'dataset-gone', 'records-lost'),
        '1.1/characters.json': [{ id: 'b', name: 'Bob' }],
        '1.2/build.json': { ...meaning('2026-01-03', 'records-lost'), removed: ['characters.json'] },
      },
    ),
  );
  assert.equal(findings, []);
  assert.equal(
    builds.map(({ characters }) => characters[0]),
    [
      { id: 'a', name: 'Ann', stars: 4 },
      { id: 'b', name: 'Bob' },
      { id: 'a', name: 'Anne' },
    ],
  );
});

/** Changes that are wrong; the first finding. */
testRows(
  test,
  table`
    {"from": "1.1"} , {"from": "1.1"}                            | mapping-changes game.json:1 /changes/1/from                 | a second…one change
    {"from": "1.1", "tables": {"unit": null}}                    | mapping-changes game.json:1 /changes/0/tables/unit          | nothing to remove…earlier builds have
    {"from": "1.1", "roster": null} , {"from": "1.2", "roster": {"entry": "$"}} | mapping-changes game.json:1 /changes/1/roster | no "from"
    {"from": "1.1", "roster": {"record": null}} , {"from": "1.2", "roster": {"record": null}} | mapping-changes game.json:1 /changes/1/roster/record | nothing to remove
    {"tables": {}}                                               | definition game.json:1 /changes/0                           | no "from"
    {"from": "1.1", "title": "x"}                                | definition game.json:1 /changes/0/title                     | "title"…one of from, tables
    {"from": "1.1", "roster": {"from": null}}                    | definition game.json:1 /changes/0/roster/from               | null…the name of a table, or a list of names
    {"from": "1.1", "datasets": {"top": true}}                   | definition game.json:1 /changes/0/datasets/top              | true…an expression…or null, which removes it
    {"from": "1.1", "datasets": {"d": "$sum("}}                  | expression-syntax game.json:1 /changes/0/datasets/d         | S020…JSONata
    {"from": "1.1", "roster": {"from": "unitz"}}                 | mapping-tables game.json:1 /changes/0/roster/from           | the table "unitz"…one of units (from build 1.1 on)
    {"from": "1.1", "tables": {"units": "raw/absent.json"}}      | table-files game.json:1 /changes/0/tables/units; table-files game.json:1 /changes/0/tables/units | no file "raw/absent.json" in build 1.1…the files of table "units"
    {"from": "1.1", "datasets": {"__proto__": null}}             | mapping-changes game.json:1 /changes/0/datasets/__proto__
    {"from": "1.1", "tables": {"constructor": null}}             | mapping-changes game.json:1 /changes/0/tables/constructor
  `,
  (changes) => {
    const files = changingGame([]);
    const { changes: none, ...game } = files['game.json'] as JsonObject;
    return {
      ...files,
      'game.json': `${JSON.stringify(game).slice(0, -1)}, "changes": [${changes.replaceAll(' , ', ', ')}]}`,
    };
  },
);

test('a change may be written before its build is added', async () => {
  const { builds, findings } = await compileFiles(changingGame([{ ...RENAMED, from: '2.0' }]));
  assert.equal(
    findings.map(({ check, severity }) => [check, severity]),
    [['mapping-changes', 'warning']],
  );
  assert.is(builds.length, 3);
});

test('expressions may name a table that a change removed: it is empty', async () => {
  const removed = { from: '1.1', tables: { units: null } };
  const { builds, findings } = await compileFiles(
    changingGame([removed], {
      tables: { units: 'raw/units.json', heroes: { files: 'raw/heroes.json', optional: true } },
      roster: { from: ['units', 'heroes'], entry: "{ 'id': $key, 'name': n ? n : name }" },
      datasets: { top: "{ 'units': $count($keys($tables.units)) }" },
    }),
  );
  assert.equal(placesOf(findings), []);
  assert.equal(
    builds.map(({ roster, datasets }) => [roster[0]?.name, datasets.top]),
    [
      ['Ann', { units: 1 }],
      ['Anne', { units: 0 }],
      ['Anne', { units: 0 }],
    ],
  );
});

testFindings(
  test,
  'a build that cannot be read is reported once, and not again for a change from it on',
  changingGame([RENAMED], {}, { '1.1/build.json': '{' }),
  ['file-syntax 1.1/build.json:1'],
);

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../../scripts/format/dist-format.ts';
import { compileFiles, type Files, gameFiles } from '../../../support/fixtures.ts';
import { manyRecords, testFindings } from '../../check/cases.ts';

const test = suite('checks of mappings');

const TABLES = {
  units: 'units.json',
  guilds: { files: 'guilds.json', key: 'id' },
  costumes: { files: 'costumes.json', key: 'unit', many: true, optional: true },
  texts: 'texts.json',
};
const UNITS = manyRecords(10, (index) => ({ guild: index < 5 ? 'n' : 's', text: `t${index}` }));
const TEXTS = { ja: Object.fromEntries(UNITS.map(({ text }) => [String(text), '名'])) };

/** A game whose roster has these attributes, made of four tables that a dataset reads too. */
function mapped(attributes: string, files: Files = {}, more: JsonObject = {}): Files {
  return {
    'game.json': {
      title: 'Game',
      tables: { ...TABLES },
      roster: { from: 'units', entry: `{'id': id, 'name': name, ${attributes}}`, ...more },
      datasets: { all: "[$each($tables, function($rows, $table) {{'table': $table}})]" },
    },
    '1.0/characters.json': undefined,
    '1.0/units.json': UNITS,
    '1.0/guilds.json': [
      { id: 'n', title: 'North', rank: null },
      { id: 's', title: 'South', rank: null },
    ],
    '1.0/texts.json': TEXTS,
    ...files,
  };
}

/** The findings of a game, as `<severity> <check> <what the override names>: <what was found>`. */
async function find(files: Files): Promise<string[]> {
  const { findings } = await compileFiles(gameFiles(files));
  return findings.map(({ severity, check, found, fix }) => {
    const of = /"of":"([^"]*)"/.exec(fix ?? '')?.[1];
    return `${severity} ${check}${of === undefined ? '' : ` ${of}`}: ${found}`;
  });
}

const FAULTS: [what: string, files: Files, expected: string[]][] = [
  [
    'a misspelt attribute of a joined table',
    mapped("'guild': $get($tables.guilds, guild).titel"),
    ['warning attribute-unserved characters.guild: no value for "guild" in all 10 records of characters'],
  ],
  [
    'an attribute that is null in all rows',
    mapped("'rank': $get($tables.guilds, guild).rank"),
    ['warning attribute-unserved characters.rank: no value for "rank" in all 10 records of characters'],
  ],
  [
    'an attribute inside lists of objects',
    mapped("'skills': [{'name': name, 'cost': prize}]"),
    [
      'warning attribute-unserved characters.skills.cost: no value for "skills.cost" in all 10 records of characters',
    ],
  ],
  [
    'an attribute that a variable, a merge and a function hide',
    mapped("'more': ($cost := function($x) {{'gems': $x.prize, 'x': 1}}; $merge([$cost($), {'y': 2}]))"),
    [
      'warning attribute-unserved characters.more.gems: no value for "more.gems" in all 10 records of characters',
    ],
  ],
  [
    'an object without any of its attributes: one finding',
    mapped("'stats': stats.{'atk': attack, 'def': defense}"),
    ['warning attribute-unserved characters.stats: no value for "stats" in all 10 records of characters'],
  ],
  [
    'a join by a wrong key, for all: one finding, and none about what it makes',
    mapped("'guild': $get($tables.guilds, id).title, 'rank': $get($tables.guilds, id).title"),
    [
      'error join-missed characters.$tables.guilds: nothing in table "guilds" for 10 keys of characters, which is all of them: id-0, id-1, id-2; 2 findings that it causes: not listed',
    ],
  ],
  [
    'a join into a part of a table by a wrong key',
    mapped("'name_ja': $lookup($tables.texts.ja, name)"),
    [
      'error join-missed characters.$tables.texts.ja: nothing in "ja" of table "texts" for 10 keys of characters, which is all of them: Name 0, Name 1, Name 2; 1 finding that it causes: not listed',
    ],
  ],
  [
    'a join that misses for many',
    mapped("'guild': $get($tables.guilds, $number($substringAfter(id, '-')) < 4 ? guild : id).title"),
    [
      'warning join-partial characters.$tables.guilds: nothing in table "guilds" for 6 of 10 keys of characters (60 %): id-4, id-5, id-6',
    ],
  ],
];
for (const [what, files, expected] of FAULTS) {
  test(`${what} is found`, async () => {
    assert.equal(await find(files), expected);
  });
}

const LEGAL: [what: string, files: Files][] = [
  ['an attribute of one record', mapped("'odd': id = 'id-3' ? 'yes'")],
  ['an attribute that is zero, or false', mapped("'odd': 0, 'even': false")],
  [
    'a join that half of the rows miss',
    mapped("'guild': $get($tables.guilds, guild = 'n' ? 'n' : 'x').title"),
  ],
  ['an attribute of an optional table that is absent', mapped("'costumes': $get($tables.costumes, id)")],
  [
    'a one-to-many join that most rows miss',
    mapped("'costumes': [$get($tables.costumes, id).name]", {
      '1.0/costumes.json': [{ unit: 'id-3', name: 'Beach' }],
    }),
  ],
  [
    'an attribute that neither of two records has',
    mapped("'odd': odd", { '1.0/units.json': UNITS.slice(0, 2) }),
  ],
  ['an attribute whose name is computed', mapped("'a' & 'b': $lookup($, 'nothing')")],
];
for (const [what, files] of LEGAL) {
  test(`${what} is no finding`, async () => {
    assert.equal(await find(files), []);
  });
}

test('a condition over a list that selects rows for few records is a warning with the records', async () => {
  const files = mapped(`'name_ja': ($id := id; $tables.names[unit = $id][0].text)`);
  const game = files['game.json'] as { tables: Record<string, Json> };
  game.tables.names = 'names.json';
  const names = [0, 1, 2].map((index) => ({ unit: `id-${index}`, text: '名' }));
  assert.equal(await find({ ...files, '1.0/names.json': names }), [
    'warning join-partial characters.name_ja: nothing in table "names", and so no "name_ja", for 7 of 10 records of characters (70 %): id-3, id-4, id-5 and 1 more',
  ]);
});

const later = { '1.1/build.json': { released_at: '2026-01-02' } };

test('what a later build has is no finding, and what no build has is one finding for all', async () => {
  const files = mapped("'title': $get($tables.guilds, guild).motto", later);
  assert.equal(await find(files), [
    'warning attribute-unserved characters.title: no value for "title" in all 10 records of characters',
  ]);
  const guilds = [{ id: 'n', motto: 'Onward' }];
  assert.equal(await find({ ...files, '1.1/guilds.json': guilds }), []);
});

test('an override of the first build that has a finding lifts it for all later ones', async () => {
  const files = mapped("'title': $get($tables.guilds, id).motto", later);
  const { findings } = await compileFiles(gameFiles(files));
  const override = JSON.parse(/\{.*\}/.exec(findings[0]?.fix ?? '')?.[0] ?? '{}');
  assert.match(findings[0]?.fix ?? '', '1.0/build.json');
  const build = { released_at: '2026-01-01', overrides: [override] };
  assert.equal(await find({ ...files, '1.0/build.json': build }), []);
});

test('a join that stops to find anything is one finding, at the step, with the number of those that follow', async () => {
  const attributes = "'guild': $get($tables.guilds, guild).title, 'seat': $get($tables.guilds, guild).title";
  const files = mapped(attributes, { ...later, '1.1/guilds.json': [{ id: 'N', title: 'North' }] });
  assert.equal(await find(files), [
    'error join-missed characters.$tables.guilds: nothing in table "guilds" for 10 keys of characters, which is all of them: n, s; 2 findings that it causes: not listed',
  ]);
});

test('an empty dataset has one finding, at the `where` that drops all rows', async () => {
  const dataset = { from: 'guilds', where: "rank = 'x' or title = 'North'", entry: "{'id': id}" };
  const files = mapped("'guild': guild", { ...later, '1.1/guilds.json': [{ id: 'n', title: 'NORTH' }] });
  const game = files['game.json'] as { datasets: Record<string, Json> };
  game.datasets.guilds = dataset;
  assert.equal(await find(files), [
    'error where-drops-all guilds: "where" drops all 1 row of table "guilds", and "guilds" is empty; 1 finding that it causes: not listed',
  ]);
});

test('a table that nothing reads is a warning; one that only a condition or a dataset reads is none', async () => {
  const game = (datasets: JsonObject): Files => ({
    'game.json': {
      title: 'Game',
      tables: { a: 'a.json', b: 'b.json', c: 'c.json' },
      datasets: { ...datasets, x: { from: 'a', where: '$exists($tables.b)', entry: '$' } },
    },
    '1.0/a.json': [{ x: 1 }],
    '1.0/b.json': [],
    '1.0/c.json': [{ y: 1 }],
  });
  assert.equal(await find(game({})), ['warning table-unread: the table that no expression reads: c']);
  assert.equal(await find(game({ y: 'c' })), []);
});

testFindings(
  test,
  'an unreadable table has one finding, and the attributes that it makes have none',
  mapped("'guild': $get($tables.guilds, guild).title", { '1.0/guilds.json': '[' }),
  ['json-syntax 1.0/guilds.json:1'],
);

test('a fault in one step does not hide what is wrong in a later one', async () => {
  const rows = (lost: number): Json => manyRecords(20).slice(lost);
  const found = await find({
    '1.0/characters.json': rows(0),
    '1.1/build.json': { released_at: '2026-01-02' },
    '1.1/characters.json': rows(5),
    '1.2/build.json': { released_at: '2026-01-03' },
    '1.2/characters.json': rows(10),
  });
  assert.is(found.filter((line) => line.startsWith('error roster-loss')).length, 2);
});

test.run();

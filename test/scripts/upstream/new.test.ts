import { readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'jsonc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import type { RawGameDefinition } from '../../../scripts/read/game-schema.ts';
import { type Files, inFolder, withFolder, writeFiles } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { hashFolder } from '../commands/hash-folder.ts';
import { checkRefusals, type Refusal } from '../commands/refusals.ts';

const test = suite('gamedata new');

/** The words of names: Ann, Bob and so on. */
const PEOPLE = ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal'];
const units = (make: (name: string, at: number) => JsonObject) => PEOPLE.map(make);
const unit = (name: string, at: number) => ({
  id: at + 1,
  name,
  rarity: 3 + (at % 3),
  hp: 100 + at,
  atk: 9 * at,
});

interface Proposed {
  game: RawGameDefinition & Record<string, unknown>;
  stdout: string;
  entry: string;
}

/** Proposes a mapping for a dump, adds and checks it. */
async function propose(dump: Files, use: (proposed: Proposed, cwd: string) => Promise<void> | void) {
  await withFolder(inFolder('dump', dump), async (cwd) => {
    const run = (...args: string[]) => runInProcess('gamedata', args, { cwd });
    const { code, stdout, stderr } = await run('new', 'game', '--from', 'dump');
    assert.is(code, 0, stderr);
    const text = await readFile(path.join(cwd, 'data/game/game.json'), 'utf8');
    const game = parse(text);
    const into = /--into raw/.test(stdout) ? ['--into', 'raw'] : [];
    const added = await run('add', 'game', '1', '--from', 'dump', ...into);
    assert.is(added.code, 0, added.stderr);
    await writeFiles(cwd, { 'data/game/1/pull_planner.json': { currency: 'Gem' } });
    const checked = await run('check', 'game', '--coverage', 'none');
    assert.is(checked.code, 0, checked.stdout + checked.stderr);
    await use({ game, stdout, entry: [game.roster?.entry ?? []].flat().join('\n') }, cwd);
  });
}

/** What is proposed for small dumps: texts that the entry of the roster has, and the first line of the output. */
const CASES: Record<string, { dump: Files; roster: RegExp; entry: RegExp[]; not?: RegExp }> = {
  'a list of rows with a rarity and stats': {
    dump: { 'units.json': units(unit), 'gear.json': [{ id: 'g', name: 'Sword' }] },
    roster: /^roster: units$/m,
    entry: [/'id': \$string\(id\)/, /'rarity': rarity/, /'stats': \{ 'hp': hp, 'atk': atk \}/],
  },
  'the name that is shown, not that of a skill, beside a name that is an id': {
    dump: {
      'units.json': units((name) => ({
        name: name.toLowerCase(),
        name_display: name,
        skills: { basic: { name: `${name} strikes` } },
      })),
    },
    roster: /^roster: units$/m,
    entry: [/'id': name,/, /'name': name_display/],
  },
  'a file for each record': {
    dump: Object.fromEntries(units(unit).map((row, at) => [`units/${at}.json`, row])),
    roster: /^roster: units$/m,
    entry: [/'name': name/],
  },
  'a wrapped export, beside others of its kind': {
    dump: {
      'RoleTable.json': { Rows: Object.fromEntries(units(unit).map((row, at) => [`r${at}`, row])) },
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [
          `Other${at}Table.json`,
          { Rows: { a: { [`x${at}`]: 1 }, b: { [`x${at}`]: 2 } } },
        ]),
      ),
    },
    roster: /^roster: RoleTable_Rows$/m,
    entry: [/'name': name/],
  },
  'a compressed CSV with semicolons, and a row of types below its header': {
    dump: {
      'characters.csv.gz': gzipSync(
        `Name;Rarity;Hitpoints;Id;"a,b,c,d,e"\nString;int;int;String;int\n${PEOPLE.map((name, at) => `${name};${1 + (at % 3)};${100 + at};c${at};1`).join('\n')}\n`,
      ),
    },
    roster: /^roster: characters$/m,
    entry: [/'name': Name/, /'rarity': Rarity/, /'stats': \{ 'hitpoints': Hitpoints \}/],
  },
  'names that are keys of texts by language': {
    dump: {
      'avatars.json': Object.fromEntries(
        units((name, at) => ({ NameHash: `k_${name}`, Rarity: 4 + (at % 2), hp: at })).map((row, at) => [
          String(1000 + at),
          row,
        ]),
      ),
      'locs.json': {
        en: Object.fromEntries(PEOPLE.map((name) => [`k_${name}`, name])),
        ja: Object.fromEntries(PEOPLE.map((name) => [`k_${name}`, `${name} ジャ`])),
      },
    },
    roster: /^roster: avatars$/m,
    entry: [
      /'name': \$text\(\$tables\.locs\.en, NameHash, NameHash\)/,
      /'name_ja': \$text\(\$tables\.locs\.ja, NameHash\)/,
    ],
  },
  'folders of languages, of which English is first': {
    dump: {
      ...inFolder('ko', { 'units.json': units((name, at) => ({ ...unit(name, at), name: `${name} 한` })) }),
      ...inFolder('en', {
        'units.json': units(unit),
        'suits.json': units((name, at) => ({ id: at, name: `Suit ${name}` })),
      }),
    },
    roster: /^roster: units$/m,
    entry: [/'name': name,/, /'name_ko': \$get\(\$tables\.ko_units, \$string\(id\)\)\.name/],
    not: /suits_ko/,
  },
  'names by language in an object, and stats that are texts, at the highest level': {
    dump: {
      'ships.json': units((name, at) => ({
        id: `s${at}`,
        names: { en: name, jp: `${name} ジャ`, code: 'x' },
        misc: { artist: { name: `${name} B.` } },
        stats: { base: { hp: '10' }, level100: { hp: `${at}00` }, level125: { hp: `${at}25.5` } },
      })),
    },
    roster: /^roster: ships$/m,
    entry: [/'name': names\.en,/, /'name_ja': names\.jp,/, /'hp': \$number\(stats\.level125\.hp\)/],
  },
  'a unique name before one that many rows share': {
    dump: {
      'units.json': units((name, at) => ({
        id: at,
        title_name: at < 6 ? 'Knight' : name,
        name: at < 6 ? 'Guard' : name,
        full_name: name,
        rarity: 1 + at,
        hp: at,
        atk: at,
      })),
    },
    roster: /^roster: units$/m,
    entry: [/'name': full_name/],
  },
};

for (const [title, { dump, roster, entry, not }] of Object.entries(CASES)) {
  test(`proposes ${title}, and it compiles`, async () => {
    await propose(dump, ({ stdout, entry: text }) => {
      assert.match(stdout, roster);
      for (const each of entry) assert.match(text, each);
      if (not) assert.not.match(text, not);
    });
  });
}

test('the printed commands lead from a dump to a build that compiles, and say what was not read', async () => {
  const dump = {
    'raw/units.json': units(unit),
    'raw/broken.json': '{\n  "a": ]\n}',
    'raw/logo.png': 'PNG',
    '.hidden/a.json': '[]',
  };
  await withFolder(inFolder('dump 1', dump), async (cwd) => {
    const { code, stdout } = await runInProcess('gamedata', ['new', 'my-game', '--from', 'dump 1'], { cwd });
    assert.is(code, 0);
    assert.equal(stdout.split('\n'), [
      '1 table:',
      '  units: raw/units.json, a list of 8 records: id, name, rarity, hp, atk',
      'not read: raw/broken.json: value expected at "]" on line 2',
      'not read, because the format is unknown: 1 file (raw/logo.png)',
      'skipped, because they are hidden, links or no files: 1 file (".hidden")',
      'roster: units',
      '  {',
      "    'id': $string(id),",
      "    'name': name,",
      "    'rarity': rarity,",
      "    'stats': { 'hp': hp, 'atk': atk }",
      '  }',
      'written: data/my-game/game.json',
      '',
      'next:',
      "  gamedata add my-game <build> --from 'dump 1' --released-at <time>",
      '  write data/my-game/<build>/pull_planner.json, which every game must have',
      '  gamedata try my-game',
      '  gamedata check my-game',
      '  gamedata build my-game',
      '  remove "draft" from data/my-game/game.json when the mapping is right: until then, builds may change',
      '',
    ]);
  });
});

test('another roster can be named', async () => {
  const gear = units((_, at) => ({ id: `g${at}`, name: `Gear ${at}` }));
  await withFolder({ "it's/units.json": units(unit), "it's/gear.json": gear }, async (cwd) => {
    const run = (...more: string[]) => runInProcess('gamedata', ['new', ...more, '--from', "it's"], { cwd });
    assert.match((await run('game')).stdout, /roster: units\n.*\n {2}or --roster gear.* --from 'it'\\''s' /s);
    assert.is((await run('other', '--roster', 'gear')).code, 0);
    assert.match(await readFile(path.join(cwd, 'data/other/game.json'), 'utf8'), '"from": "gear"');
    const wrong = await run('third', '--roster', 'gaer');
    const message = '--roster gaer is no table with an id and a name for each row; such tables: units, gear';
    assert.is(wrong.code, 1);
    assert.match(wrong.stderr, message);
  });
});

test('of many files without records nothing is proposed, and all are listed', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 70 }, (_, at) => [`dump/part_${at}.json`, [{ [`p${at}_level`]: 1 }]]),
  );
  await withFolder(files, async (cwd) => {
    const { code, stderr } = await runInProcess('gamedata', ['new', 'game', '--from', 'dump'], { cwd });
    assert.is(code, 1);
    assert.match(stderr, /no table of dump has an id .*: none: write game\.json by hand\n70 tables:\n/);
    await truncate(path.join(cwd, 'dump/part_0.json'), 300e6);
    const large = await runInProcess('gamedata', ['new', 'game', '--from', 'dump'], { cwd });
    assert.match(large.stderr, 'dump has 300.00 MB of tables, and at most 256.00 MB are read: pass a sub');
  });
});

const REFUSED: Refusal[] = [
  [
    ['game', '--from', 'images'],
    1,
    'data/game/game.json exists, and is not overwritten: edit it, choose another slug, or remove it',
  ],
  [['fresh', '--from', 'none'], 2, 'no folder none: pass the folder of the dump with --from'],
  [
    ['fresh', '--from', 'images'],
    1,
    'no table of images has an id and a name for each row; such tables: none',
  ],
  [['fresh', '--from', 'broken'], 1, '\nnot read: a.json: value expected at "]" on line 1\n'],
  [['Fresh', '--from', 'images'], 2, 'expected at most 64 lowercase letters, digits and single hyphens'],
  [['fresh'], 2, "required option '--from <folder>' not specified"],
];

test('a definition that cannot be written is reported with what to do, and nothing is written', async () => {
  const files = { 'data/game/game.json': '{"title": "Mine"}', 'images/a.png': '', 'broken/a.json': ']' };
  await withFolder(files, async (cwd) => {
    const before = await hashFolder(cwd);
    await checkRefusals((args) => runInProcess('gamedata', ['new', ...args], { cwd }), REFUSED);
    assert.equal(await hashFolder(cwd), before);
  });
});

test.run();

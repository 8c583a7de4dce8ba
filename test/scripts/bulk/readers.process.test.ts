import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BULK_FORMATS,
  type BuildEntry,
  filesOf,
  type Index,
  type Manifest,
  type Snapshot,
  TABLE_FORMATS,
  type TableFormat,
} from '../../../scripts/format/dist-format.ts';
import { type Files, writeFiles } from '../../support/fixtures.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { withPrograms } from '../../support/skip.ts';

const CHARACTERS = [
  {
    id: 'a',
    name: '=HYPERLINK("x")',
    name_ja: '胡桃',
    rarity: 5,
    big: 9_007_199_254_740_991,
    limited: true,
    weapon: 'w1',
    stats: { atk: 12, hp: 0.5 },
    tags: ['x', 'y'],
    skills: [{ id: 's', rate: 1.5, items: ['w1', 'w2'] }],
  },
  {
    id: 'b',
    name: 'two\nlines, "quoted"',
    name_ja: 'ガ',
    rarity: 4,
    big: 1,
    limited: false,
    weapon: 'w1',
    stats: { atk: -3, hp: 1e21 },
  },
];
const FILES: Files = {
  'data/saga/game.json': {
    title: 'Saga',
    language: 'en',
    attributes: { characters: { weapon: { ref: 'weapons' }, 'skills.items': { ref: 'weapons' } } },
  },
  'data/saga/1.0/build.json': { released_at: '2026-01-01' },
  'data/saga/1.0/characters.json': CHARACTERS,
  'data/saga/1.0/weapons.json': [
    { id: 'w1', name: 'Sword' },
    { id: 'w2', name: 'Bow' },
  ],
  'data/saga/1.0/pull_planner.json': { currency: 'jade', cost: 160 },
  'data/saga/1.1/build.json': { released_at: '2026-02-01' },
  'data/saga/1.1/costs.csv': 'level,cost\n1,50\n2,100\n',
};

/** A folder with the game and its dist/, in all formats. */
interface World {
  folder: string;
  entries: BuildEntry[];
  newest: BuildEntry;
  snapshot: Snapshot;
}

const readers = suite<World>('readers of builds in other formats');
readers.before(async (world) => {
  world.folder = await makeFolder('readers');
  await writeFiles(world.folder, FILES);
  ({ entries: world.entries } = await build(world.folder, '--formats', 'all'));
  world.newest = world.entries[1] as BuildEntry;
  const { file } = world.newest.snapshot.gzip;
  world.snapshot = JSON.parse(gunzipSync(await readFile(path.join(world.folder, 'dist', file))).toString());
});

async function build(
  folder: string,
  ...options: string[]
): Promise<{ entries: BuildEntry[]; stdout: string }> {
  const at = (name: string) => path.join(folder, name);
  const places = ['--data', at('data'), '--out', at('dist'), '--cache', at('cache')];
  const { code, stdout, stderr } = await runInProcess('gamedata', ['build', ...places, ...options]);
  assert.is(code, 0, stderr);
  const read = async (file: string) => JSON.parse(await readFile(path.join(folder, 'dist', file), 'utf8'));
  const index = (await read('index.json')) as Index;
  const { builds } = (await read(index.games[0]?.manifest.file ?? '')) as Manifest;
  return { entries: builds, stdout };
}

/** Unpacks a build in a format. @returns the folder */
async function unpack({ folder, newest }: World, format: TableFormat): Promise<string> {
  const zip = await readFile(path.join(folder, 'dist', newest.bulk?.[format]?.file ?? ''));
  const target = path.join(folder, format);
  await mkdir(target);
  for (const [file, bytes] of Object.entries(unzipSync(zip))) await writeFile(path.join(target, file), bytes);
  return target;
}

async function query(connection: DuckDBConnection, sql: string): Promise<unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS();
}

/** Runs a Python program. @returns what it printed, as JSON */
function runPython(program: string, ...args: string[]): unknown {
  const { stdout, stderr } = spawnSync('python3', ['-c', program, ...args], { encoding: 'utf8' });
  assert.is(stderr, '');
  return JSON.parse(stdout);
}

readers('find the values of the snapshot in Parquet, NDJSON and CSV', async (world) => {
  const { characters } = world.snapshot;
  const connection = await (await DuckDBInstance.create()).connect();
  const parquet = await unpack(world, 'parquet');
  const rows = (await query(
    connection,
    `SELECT * FROM '${parquet}/characters.parquet' ORDER BY id`,
  )) as Record<string, unknown>[];
  const restored = rows.map(({ 'stats.atk': atk, 'stats.hp': hp, tags, skills, big, ...row }) => ({
    ...row,
    big: Number(big),
    stats: { atk, hp },
    ...(tags !== null && { tags: JSON.parse(String(tags)) }),
    ...(skills !== null && { skills: JSON.parse(String(skills)) }),
  }));
  assert.equal(restored, characters);
  const types = await query(
    connection,
    `SELECT typeof(big) big, typeof(rarity) rarity, typeof(limited) limited, typeof("stats.hp") hp FROM '${parquet}/characters.parquet' LIMIT 1`,
  );
  assert.equal(types, [{ big: 'BIGINT', rarity: 'INTEGER', limited: 'BOOLEAN', hp: 'DOUBLE' }]);
  assert.equal(await query(connection, `SELECT * FROM '${parquet}/pull_planner.parquet'`), [
    { cost: 160, currency: 'jade' },
  ]);

  const ndjson = await unpack(world, 'ndjson');
  assert.equal(
    await query(
      connection,
      `SELECT id, name, stats.atk AS atk FROM read_ndjson('${ndjson}/characters.ndjson') ORDER BY id`,
    ),
    characters.map(({ id, name, stats }) => ({ id, name, atk: BigInt((stats as { atk: number }).atk) })),
  );
  const csv = await unpack(world, 'csv');
  assert.equal(
    await query(
      connection,
      `SELECT id, name, name_ja, "stats.hp" AS hp FROM read_csv('${csv}/characters.csv', header = true) ORDER BY id`,
    ),
    characters.map(({ id, name, name_ja, stats }) => ({
      id,
      name,
      name_ja,
      hp: (stats as { hp: number }).hp,
    })),
  );
});

const withPython = withPrograms(readers, 'python3');

/** Prints what SQLite itself finds wrong in a database, and the rows of queries. */
const READ_DATABASE = `
import json, sqlite3, sys
database = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro&immutable=1', uri=True)
print(json.dumps([database.execute(sql).fetchall() for sql in sys.argv[2:]]))
`;

withPython('find the values of the snapshot in a sound database', async ({ folder, newest, snapshot }) => {
  const { sqlite } = newest.bulk ?? {};
  const file = path.join(folder, 'newest.sqlite');
  await writeFile(file, gunzipSync(await readFile(path.join(folder, 'dist', sqlite?.gzip.file ?? ''))));
  const columns = ['big', 'id', 'limited', 'name', 'name_ja', 'rarity', 'stats.atk', 'stats.hp', 'weapon'];
  const read = runPython(
    READ_DATABASE,
    file,
    'PRAGMA integrity_check',
    'PRAGMA foreign_key_check',
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    `SELECT ${[...columns, 'skills', 'tags'].map((name) => `"${name}"`).join()} FROM characters`,
    'SELECT * FROM pull_planner',
    'SELECT level, cost FROM costs',
    `SELECT c.id, w.name FROM characters c JOIN "characters.skills.items" i ON i.id = c.id JOIN weapons w ON w.id = i.ref ORDER BY position`,
    'SELECT "table", "from", "to" FROM pragma_foreign_key_list(\'characters\')',
    'SELECT "table", "from", "to" FROM pragma_foreign_key_list(\'characters.skills.items\') ORDER BY seq, id',
    "SELECT id, language, name FROM names WHERE collection = 'characters' ORDER BY id, language",
    'SELECT game, build FROM snapshot',
  );
  const { characters, datasets } = snapshot;
  const [sound, broken, tables, rows, planner, costs, items, key, linkKeys, names, build] =
    read as unknown[][][];
  assert.equal([sound, broken], [[['ok']], []]);
  const collections = ['characters', 'characters.skills.items', ...Object.keys(datasets)];
  assert.equal(tables?.flat(), [...collections, 'names', 'snapshot'].sort());
  assert.equal(
    rows,
    characters.map(({ big, id, limited, name, name_ja, rarity, stats, weapon, skills, tags }) => {
      const { atk, hp } = stats as { atk: number; hp: number };
      const json = [skills, tags].map((list) => (list === undefined ? null : JSON.stringify(list)));
      return [big, id, Number(limited), name, name_ja, rarity, atk, hp, weapon, ...json];
    }),
  );
  assert.equal(planner, [
    Object.entries(datasets.pull_planner ?? {})
      .sort()
      .map(([, value]) => value),
  ]);
  assert.equal(
    costs,
    (datasets.costs as { level: number; cost: number }[]).map(({ level, cost }) => [level, cost]),
  );
  assert.equal(items, [
    ['a', 'Sword'],
    ['a', 'Bow'],
  ]);
  assert.equal(key, [['weapons', 'weapon', 'id']]);
  assert.equal(linkKeys?.map(String).sort(), ['characters,id,id', 'weapons,ref,id']);
  const inBoth = characters.flatMap(({ id, name, name_ja }) => [
    [id, 'en', name],
    [id, 'ja', name_ja],
  ]);
  assert.equal(names, inBoth);
  assert.equal(build, [['saga', '1.1']]);
});

readers(
  'are given the same files by every run, and those that builds share once',
  async ({ folder, entries, newest }) => {
    assert.equal(Object.keys(newest.bulk ?? {}), [...BULK_FORMATS]);
    for (const format of TABLE_FORMATS) {
      const [before, after] = entries.map(({ bulk }) => bulk?.[format]?.collections ?? []);
      assert.equal(
        after?.filter(({ key }) => key !== 'costs'),
        before,
      );
      assert.is.not(entries[0]?.bulk?.[format]?.file, newest.bulk?.[format]?.file);
    }
    const again = await build(folder, '--formats', 'all', '--no-cache');
    assert.equal(again.entries, entries);
    assert.match(again.stdout, '(0.00 MB new)');
    const without = await build(folder);
    assert.equal(
      without.entries.map(({ bulk }) => bulk),
      [undefined, undefined],
    );
    const some = await build(folder, '--formats', 'sqlite,csv');
    assert.equal(some.entries[1]?.bulk, { csv: newest.bulk?.csv, sqlite: newest.bulk?.sqlite });
    assert.ok(entries.every((entry) => new Set(filesOf(entry)).size === filesOf(entry).length));
  },
);

readers.run();

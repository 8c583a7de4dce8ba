import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { unzipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildEntry, Index, Manifest, Snapshot } from '../../../scripts/format/dist-format.ts';
import { runCommand } from '../../support/command.ts';
import { type Files, withFolder } from '../../support/fixtures.ts';

const readers = suite('readers of builds in other formats');

const CHARACTERS = [
  {
    ...{
      id: 'a',
      name: '=HYPERLINK("x")',
      name_ja: '胡桃',
      rarity: 5,
      big: 9_007_199_254_740_991,
      limited: true,
    },
    ...{ stats: { atk: 12, hp: 0.5 }, tags: ['x', 'y'], skills: [{ id: 's', rate: 1.5 }] },
  },
  {
    id: 'b',
    name: 'two\nlines, "quoted"',
    name_ja: 'ガ',
    rarity: 4,
    big: 1,
    limited: false,
    stats: { atk: -3, hp: 1e21 },
  },
];
const FILES: Files = {
  'data/saga/game.json': { title: 'Saga' },
  'data/saga/1.0/build.json': { released_at: '2026-01-01' },
  'data/saga/1.0/characters.json': CHARACTERS,
  'data/saga/1.0/pull_planner.json': { currency: 'jade', cost: 160 },
  'data/saga/1.1/build.json': { released_at: '2026-02-01' },
  'data/saga/1.1/costs.csv': 'level,cost\n1,50\n2,100\n',
};

async function build(
  folder: string,
  ...options: string[]
): Promise<{ entries: BuildEntry[]; stdout: string }> {
  const at = (name: string) => path.join(folder, name);
  const places = ['--data', at('data'), '--out', at('dist'), '--cache', at('cache')];
  const { code, stdout, stderr } = await runCommand('gamedata', ['build', ...places, ...options]);
  assert.is(code, 0, stderr);
  const read = async (file: string) => JSON.parse(await readFile(path.join(folder, 'dist', file), 'utf8'));
  const index = (await read('index.json')) as Index;
  const { builds } = (await read(index.games[0]?.manifest.file ?? '')) as Manifest;
  return { entries: builds, stdout };
}

/** Unpacks a build in a format. @returns the folder */
async function unpack(
  folder: string,
  { bulk, build: name }: BuildEntry,
  format: 'ndjson' | 'csv' | 'parquet',
) {
  const zip = await readFile(path.join(folder, 'dist', bulk?.[format]?.file ?? ''));
  const target = path.join(folder, `${name}-${format}`);
  await mkdir(target);
  for (const [file, bytes] of Object.entries(unzipSync(zip))) await writeFile(path.join(target, file), bytes);
  return target;
}

async function query(connection: DuckDBConnection, sql: string): Promise<unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJS();
}

readers('find the values of the snapshot, and an unchanged build is not written again', async () => {
  await withFolder(FILES, async (folder) => {
    const { entries } = await build(folder, '--formats', 'all');
    const newest = entries[1] as BuildEntry;
    assert.equal(Object.keys(newest.bulk ?? {}), ['ndjson', 'csv', 'parquet']);
    const text = gunzipSync(await readFile(path.join(folder, 'dist', newest.snapshot.gzip.file))).toString();
    const { characters, datasets } = JSON.parse(text) as Snapshot;
    const connection = await (await DuckDBInstance.create()).connect();

    const parquet = await unpack(folder, newest, 'parquet');
    const rows = (await query(
      connection,
      `SELECT * FROM '${parquet}/characters.parquet' ORDER BY id`,
    )) as Record<string, unknown>[];
    const restored = rows.map(({ 'stats.atk': atk, 'stats.hp': hp, tags, skills, big, ...row }) => ({
      ...{ ...row, big: Number(big), stats: { atk, hp } },
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

    const ndjson = await unpack(folder, newest, 'ndjson');
    assert.equal(
      await query(
        connection,
        `SELECT id, name, stats.atk AS atk FROM read_ndjson('${ndjson}/characters.ndjson') ORDER BY id`,
      ),
      characters.map(({ id, name, stats }) => ({ id, name, atk: BigInt((stats as { atk: number }).atk) })),
    );
    const csv = await unpack(folder, newest, 'csv');
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
    const python =
      'import csv,json,sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))))';
    const { stdout } = spawnSync('python3', ['-c', python, path.join(csv, 'costs.csv')], {
      encoding: 'utf8',
    });
    if (stdout)
      assert.equal(
        JSON.parse(stdout),
        (datasets.costs as object[]).map((row) =>
          Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])),
        ),
      );

    const again = await build(folder, '--formats', 'all', '--no-cache');
    assert.equal(again.entries, entries);
    assert.match(again.stdout, '(0.00 MB new)');
    const without = await build(folder);
    assert.equal(
      without.entries.map(({ bulk }) => bulk),
      [undefined, undefined],
    );
    const some = await build(folder, '--formats', 'csv');
    assert.equal(some.entries[1]?.bulk, { csv: newest.bulk?.csv });
    const wrong = await runCommand('gamedata', ['build', '--formats', 'excel']);
    assert.is(wrong.code, 2);
    assert.match(wrong.stderr, 'expected ndjson, csv, parquet, or all');
  });
});

readers.run();

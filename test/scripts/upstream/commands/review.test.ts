import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../scripts/format/dist-format.ts';
import { type Files, gameFiles, inFolder, withFolder, writeFiles } from '../../../support/fixtures.ts';
import { runInProcess } from '../../../support/run-in-process.ts';

const test = suite('gamedata review');

const HOSTILE = '</pre><script>alert(1)</script> `code` @all';

function unit(index: number, hp: number): JsonObject {
  return {
    id: `u${index}`,
    name: index === 1 ? HOSTILE : `Unit ${index}`,
    rarity: 3 + (index % 3),
    stats: { hp },
  };
}

const FIRST = Array.from({ length: 6 }, (_, index) => unit(index, 100 + index));
const FILES: Files = inFolder('data/game', gameFiles({ '1.0/characters.json': FIRST }));
const SECOND: Files = {
  'data/game/1.1/build.json': { released_at: '2026-02-01' },
  'data/game/1.1/characters.json': FIRST.map((record, index) =>
    index === 2
      ? { ...unit(2, 900), rarity: 3 }
      : index === 4
        ? { id: 'u4', name: 'Unit 4', rarity: 4 }
        : record,
  ),
};

type Run = (...args: string[]) => ReturnType<typeof runInProcess>;

function withGame(use: (run: Run, cwd: string) => Promise<void>) {
  return withFolder(FILES, (cwd) =>
    use((...args) => runInProcess('gamedata', ['review', ...args], { cwd }), cwd),
  );
}

test('shows a game that was never built, then a build beside the one before, as Markdown and HTML', async () => {
  await withGame(async (run, cwd) => {
    const fresh = await run('--against', 'dist');
    assert.equal([fresh.code, fresh.stderr], [0, '']);
    assert.match(
      fresh.stdout,
      '## `game` `1.0`\n\n`Game`, released at 2026-01-01T00:00:00Z; a new game, compared with nothing; 0 errors',
    );
    assert.match(fresh.stdout, 'at `/api/game/characters/u0`');
    assert.not.match(fresh.stdout, '### What changed');

    await writeFiles(cwd, SECOND);
    const { code, stdout } = await run('game');
    assert.is(code, 0);
    assert.match(stdout, '## `game` `1.0` → `1.1`');
    assert.match(stdout, '| `u2 Unit 2` | `stats.hp` | `102` | `900` (+782.4%) |');
    assert.match(stdout, /`u2 Unit 2` \(`changed most: 2 changes`\)/);
    assert.match(stdout, /`u4 Unit 4` \(`lacks most: stats\.hp`\)|`u4 Unit 4` \(`lacks most: stats/);
    assert.match(stdout, '### Distributions that moved');

    const written = await run('game', '--html', 'review.html');
    assert.match(written.stdout, /^review\.html: 1 game, \d+ errors?, \d+ warnings?\n$/);
    const page = await readFile(path.join(cwd, 'review.html'), 'utf8');
    assert.match(page, '<svg viewBox=');
    assert.match(page, "default-src 'none'");
    assert.match(page, 'prefers-color-scheme: dark');
    assert.not.match(page, '<script');
    assert.not.match(page, /(?:src|href)=/);
  });
});

test('a build that gates hold back is shown with its records; one that cannot be compiled without them', async () => {
  await withGame(async (run, cwd) => {
    await writeFiles(cwd, {
      'data/game/1.1/build.json': { released_at: '2026-02-01' },
      'data/game/1.1/characters.json': FIRST.slice(0, 2),
    });
    const held = await run('game');
    assert.is(held.code, 0);
    assert.match(held.stdout, /error data\/game\/1\.1\/\S+ \(roster-loss\)/);
    assert.match(held.stdout, '### Records as the API will serve them');
    await writeFiles(cwd, { 'data/game/1.1/characters.json': '[{' });
    const broken = await run('game');
    assert.is(broken.code, 0);
    assert.match(broken.stdout, '(json-syntax)');
    assert.match(broken.stdout, 'Its errors keep it from being compiled: the records cannot be shown.');
    const page = await run('game', '--html', 'review.html');
    assert.is(page.code, 0);
    const refused = await run('game', '--html', 'no/folder/review.html');
    assert.equal(
      [refused.code, /no\/folder\/review\.html cannot be written/.test(refused.stderr)],
      [1, true],
    );
  });
});

test('--against dist compares with what is served', async () => {
  await withGame(async (run, cwd) => {
    assert.is((await runInProcess('gamedata', ['build', '--no-cache'], { cwd })).code, 0);
    await writeFiles(cwd, SECOND);
    const third = FIRST.map((record, index) => (index === 2 ? unit(2, 901) : record));
    await writeFiles(cwd, {
      'data/game/1.2/build.json': { released_at: '2026-03-01' },
      'data/game/1.2/characters.json': third,
    });
    const { stdout } = await run('--against', 'dist');
    assert.match(stdout, '## `game` `1.0` → `1.2`');
    assert.match(stdout, 'compared with dist/;');
    assert.match(stdout, '`102` | `901`');
  });
});

/** A game with a mapping that gives the attack as the defence and the other way round. */
function swapped(rows: number): Files {
  const raw = Array.from({ length: rows }, (_, index) => ({
    ...{ unitId: `u${index}`, title: index === 0 ? HOSTILE : `Unit ${index}`, rare: 3 + (index % 3) },
    ...{ hp: 1000 + index, atk: 300 + index, def: 200 + 2 * index, growth: index, memo: 'x' },
  }));
  return inFolder(
    'data/game',
    gameFiles({
      'game.json': {
        title: 'Game',
        source: { archive: 'https://example.org/dump.zip', build: 'date', licence: 'CC0-1.0' },
        tables: { units: 'raw/units.json', growths: { files: 'raw/growths.json', key: 'level' } },
        roster: {
          from: 'units',
          entry:
            "{'id': unitId, 'name': title, 'rarity': rare, 'power': $lookup($tables.growths, $string(growth)).power, 'stats': {'hp': hp, 'atk': def, 'def': atk}}",
        },
        datasets: { units: { from: 'units', entry: "{'id': unitId, 'title': title}" } },
      },
      '1.0/characters.json': undefined,
      '1.0/raw/units.json': raw,
      '1.0/raw/growths.json': raw.map((_, index) => ({ level: String(index), power: 7000 + 3 * index })),
    }),
  );
}

test('a new game is shown beside its raw rows, so that swapped columns are seen, with source, licence and author', async () => {
  await withFolder(swapped(40), async (cwd) => {
    const { stdout } = await runInProcess('gamedata', ['review', 'game'], { cwd });
    assert.match(stdout, 'source: https://example.org/dump.zip (archive); licence: CC0-1.0');
    assert.match(stdout, /roster: table units, as gamedata new proposes\n/);
    assert.match(stdout, /attributes of the roster as proposed: id, rarity, stats\.hp/);
    assert.match(
      stdout,
      /proposed, and left out or written by a person: .*stats\.atk \(atk\), stats\.def \(def\)/,
    );
    assert.match(stdout, 'characters: stats.atk has the values of the column def');
    assert.match(stdout, 'characters: stats.def has the values of the column atk');
    assert.not.match(stdout, 'stats.hp has the values');
    // Ten records of forty, each beside its row, also what was looked up in another table.
    assert.match(stdout, /u36 Unit 36: data\/game\/1\.0\/raw\/units\.json \/36\n {2}id +"u36" = unitId\n/);
    assert.match(
      stdout,
      / {2}stats\.atk +272 = def\n {2}stats\.def +336 = atk\n[\s\S]*? {2}power +7108 = power\n/,
    );
    assert.is(stdout.match(/^u\d+(?: .*)?: data.*units\.json/gm)?.length, 20);
    assert.match(stdout, /not served: .*memo "x"/);
    const html = await runInProcess('gamedata', ['review', 'game', '--html', 'review.html'], { cwd });
    assert.is(html.code, 0);
    const page = await readFile(path.join(cwd, 'review.html'), 'utf8');
    assert.match(page, '<td>stats.atk</td><td>272</td><td>def</td>');
    assert.match(page, '<li>characters: stats.atk has the values of the column def</li>');
    assert.not.match(page, '<script');
  });
});

test('Markdown of many games stays within the length of a comment', async () => {
  const large = Array.from({ length: 400 }, (_, index) => ({ ...unit(index, index), text: 'x'.repeat(500) }));
  const games = ['a', 'b', 'c'].map((slug) =>
    inFolder(`data/${slug}`, gameFiles({ '1.0/characters.json': large })),
  );
  await withFolder(Object.assign({}, ...games), async (cwd) => {
    const { stdout } = await runInProcess('gamedata', ['review'], { cwd });
    assert.ok(stdout.length < 62_000, String(stdout.length));
    assert.match(stdout, '## `c` `1.0`');
  });
});

test.run();

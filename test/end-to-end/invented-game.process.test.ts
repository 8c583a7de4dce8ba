import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildEntry, JsonObject } from '../../scripts/format/dist-format.ts';
import { withFolder, writeFiles } from '../support/fixtures.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { withPrograms } from '../support/skip.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import { inventedDump } from './invented-game.ts';

const game = suite('an invented game with awkward tables');
const test = withPrograms(game, 'git');

const SLUG = 'gilded-burrow';

/** What the proposal has right. */
const PROPOSED = [
  '"files": "raw/text/en/strings.txt"',
  "'id': UnitUid",
  "'name': $strip($text($tables.strings, NameHash, NameHash))",
  "'name_ja': $strip($text($tables.ja_strings, NameHash))",
  'TIER_GOLD\\":3',
];

/** A unit that only the Korean table has. */
const HAL = {
  id: '9007199254741000001',
  name: 'Hal',
  name_ja: 'ハル',
  rarity: 1,
  role: 'warden',
  debut: '2026-03-02T02:00:00.000Z',
  korean: true,
  stats: { hp: 32000, atk: 120 },
};

async function readJson(file: string) {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** What a maintainer makes of the proposal. */
function definition(git: string) {
  return {
    $schema: '../game.schema.json',
    title: 'Gilded Burrow',
    source: {
      git,
      paths: { regions: 'regions', shared: 'shared', text: 'text' },
      build: { file: 'version.json', at: '/client/name', pattern: '^rel_(.+)$' },
    },
    regions: { jp: 'regions/jp/', kr: 'regions/kr/' },
    tables: {
      units: { files: 'UnitMaster.json', at: '/Rows', key: 'UnitUid', regions: true },
      growth: { files: 'shared/UnitGrowth.csv', delimiter: ';', key: ['UnitUid', 'Level'] },
      text_en: { files: 'text/en/strings.txt', delimiter: '=>' },
      text_ja: { files: 'text/ja/strings.txt', delimiter: '=>' },
    },
    roster: {
      from: 'units',
      entry: [
        '(',
        "  $growth := $get($tables.growth, UnitUid & ':40');",
        '  {',
        "    'id': $key,",
        "    'name': $unescape($strip($text($tables.text_en, NameHash, NameHash), 'M')),",
        "    'name_ja': $strip($text($tables.text_ja, NameHash), 'M'),",
        '    \'rarity\': $get({"TIER_BRONZE": 1, "TIER_SILVER": 2, "TIER_GOLD": 3}, Tier),',
        "    'role': Role,",
        "    'debut': $isoLocal(Debut, '+09:00'),",
        "    'korean': $exists($get($tables.units_kr, $key)),",
        "    'stats': { 'hp': $growth.MaxHp, 'atk': $growth.Attack }",
        '  }',
        ')',
      ],
    },
    datasets: { pull_planner: "{ 'currency': 'Acorn', 'cost_per_pull': 100 }" },
  };
}

test('comes from nothing to dist/ by new, pull, review and build', async () => {
  await withFolder({}, async (cwd) => {
    const upstream = await UpstreamRepository.create(path.join(cwd, 'upstream'));
    const commit = (version: string, day: string, counts: { jp: number; kr: number }) =>
      upstream.commit(`automatic update`, day, inventedDump(version, counts));
    await commit('1.0.0', '2026-01-05T02:00:00Z', { jp: 4, kr: 4 });
    await commit('1.0.0', '2026-01-05T02:30:00Z', { jp: 5, kr: 4 });

    const run = async (...args: string[]) => {
      const ended = await runInProcess('gamedata', args, { cwd });
      assert.is(ended.code, 0, `gamedata ${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
      return ended.stdout;
    };
    await run('new', SLUG, '--from', 'upstream');
    const file = path.join(cwd, 'data', SLUG, 'game.json');
    const proposed = await readFile(file, 'utf8');
    for (const line of PROPOSED) assert.ok(proposed.includes(line), `${line}\n${proposed}`);

    await writeFiles(cwd, { [`data/${SLUG}/game.json`]: definition(upstream.address) });
    await run('pull', SLUG, '--allow-local');
    await commit('1.1.0', '2026-02-02T02:00:00Z', { jp: 7, kr: 6 });
    await commit('1.2.0', '2026-03-02T02:00:00Z', { jp: 7, kr: 8 });
    assert.match(await run('pull', SLUG, '--allow-local', '--dry-run'), /: 3 builds in file:.*, 2 to add/);
    await run('pull', SLUG, '--allow-local');
    await run('check', SLUG);
    const review = await run('review', SLUG);
    assert.match(review, 'Added: `9007199254741000001 Hal`');
    assert.match(review, '0 errors, 0 warnings');
    // Names and other values that differ in nearly every record are no distributions.
    assert.not.match(review, /^characters\.(name|stats)/m);
    await run('build', SLUG);
    const { games } = await readJson(path.join(cwd, 'dist/index.json'));
    const { builds } = await readJson(path.join(cwd, 'dist', games[0].manifest.file));
    assert.equal(
      builds.map(({ build, characters }: BuildEntry) => [build, characters.count]),
      [
        ['1.0.0', 5],
        ['1.1.0', 7],
        ['1.2.0', 8],
      ],
    );
    const roster: JsonObject[] = await readJson(path.join(cwd, 'dist', builds[2].roster.file));
    assert.equal(
      roster.map(({ name }) => name),
      ['Ann', 'Bob & Co', 'Cid', 'Dee', 'Eve', 'Fay', 'Gil', 'Hal'],
    );
    assert.equal(roster.at(-1), HAL);
  });
});

game.run();

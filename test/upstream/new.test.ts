import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addBuild } from '../../scripts/upstream/add/add-build.ts';
import { findTables } from '../../scripts/upstream/dump/find-tables.ts';
import { listDump } from '../../scripts/upstream/dump/list-files.ts';
import { readValues } from '../../scripts/upstream/dump/read-values.ts';
import { compileGame } from '../../scripts/game/compile-game.ts';
import { rankRosters } from '../../scripts/upstream/propose/choose-roster.ts';
import { expressionOf } from '../../scripts/upstream/propose/column.ts';
import { proposeDraft, renderDraft } from '../../scripts/upstream/propose/propose-definition.ts';
import { renderDefinition } from '../../scripts/upstream/propose/render-definition.ts';
import { locateFindings, renderFindings } from '../../scripts/report/report.ts';
import { parsePlan, withFolder, writeFiles } from '../support/fixtures.ts';
import { testUpstream, UPSTREAM } from '../support/skip.ts';

const test = suite('full dumps that have no definition yet');

interface Expected {
  table: string;
  /** The expressions of id, name and rarity, and the number of stats. */
  core: [id: string, name: string, rarity: string | undefined, stats: number];
  characters: number;
  /** Some datasets, and how many records they have. */
  datasets: Record<string, number>;
}

/** The expected proposal for the newest dump of each game; its README describes the tables. */
const EXPECTED: Record<string, Expected> = {
  'arknights/en-5.0.01-2021-10-13': {
    table: 'character_table',
    core: ['$key', 'name', 'rarity', 0],
    characters: 256,
    datasets: { enemy_handbook_table: 338, item_table_items: 464, skin_table_char_skins: 546 },
  },
  'fgo/na-2.18.2-dv331-2021-07-04': {
    table: 'mstSvt',
    core: ['id', 'name', undefined, 0],
    characters: 1995,
    datasets: { mst_item: 589, mst_event: 280 },
  },
  'genshin/6.4': {
    table: 'English_characters',
    core: ['id', 'name', 'rarity', 0],
    characters: 115,
    datasets: { english_weapons: 233, outfits: 141 },
  },
  'princess-connect/202403281636': {
    table: 'unit_data',
    core: ['unit_id', 'unit_name', 'rarity', 0],
    characters: 247,
    datasets: { skill_data: 3453, gacha_data: 619 },
  },
  'zenless-zone-zero/2.8': {
    table: 'avatars',
    core: ['$key', 'Name', 'Rarity', 0],
    characters: 53,
    datasets: { weapons: 89, equipments_items: 468 },
  },
  'honkai-star-rail/2026-07-15': {
    table: 'avatars',
    core: ['$key', 'AvatarName.Hash', 'Rarity', 0],
    characters: 95,
    datasets: { weapons: 165 },
  },
  'project-sekai/kr-1.9.6.8': {
    table: 'cards',
    core: ['id', 'prefix', 'rarity', 0],
    characters: 116,
    datasets: { events: 6 },
  },
  'gakumas/2026-03-31': {
    table: 'IdolCard',
    core: ['id', 'name', 'rarity', 4],
    characters: 132,
    datasets: { support_card: 180, character: 19 },
  },
  'dota2/7.41': {
    table: 'heroes',
    core: ['id', 'localized_name', undefined, 10],
    characters: 127,
    datasets: {},
  },
};

for (const [dumpFolder, expected] of Object.entries(EXPECTED)) {
  testUpstream(test, `${dumpFolder}: the roster is found, and the proposed definition compiles`, async () => {
    const dump = path.join(UPSTREAM, dumpFolder);
    const tables = findTables(await readValues(await listDump(dump)));
    const roster = rankRosters(tables)[0];
    assert.ok(roster);
    const { id, names, rarity, stats } = roster;
    assert.is(roster.table.name, expected.table);
    const core = [
      id === 'key' ? '$key' : expressionOf(id),
      expressionOf(names.column),
      rarity && expressionOf(rarity),
      stats.length,
    ];
    assert.equal(core, expected.core);

    await withFolder({}, async (game) => {
      await writeFiles(game, {
        'game.json': renderDefinition(renderDraft(proposeDraft('Game', tables, roster)), [], []),
      });
      const wanted = { game, build: '1', into: '', released_at: '2026-01-01T00:00:00Z', note: undefined };
      await addBuild(dump, wanted, { into: '', partial: false }, '2026-01-01T00:00:00Z');
      await writeFiles(game, { '1/pull_planner.json': { currency: 'Gem' } });
      const { value, findings } = await compileGame(game, 'game');
      // What a dump itself has, such as texts that are keys, is a warning.
      const errors = findings.filter(({ severity }) => severity === 'error');
      assert.is(renderFindings(await locateFindings(errors)), '');
      const [build] = value ? parsePlan(value) : [];
      assert.is(build?.characters.length, expected.characters);
      for (const [key, count] of Object.entries(expected.datasets)) {
        assert.is((build?.datasets[key] as unknown[] | undefined)?.length, count, key);
      }
    });
  });
}

test.run();

import { cp } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderFindings } from '../../scripts/check/report.ts';
import { readGame } from '../../scripts/read/game.ts';
import { type BuildTables, findBuildFiles } from '../../scripts/read/tables.ts';
import { withFolder, writeFiles } from '../support/fixtures.ts';
import { testUpstream, UPSTREAM } from '../support/skip.ts';

const test = suite('full dumps in other formats than JSON');

/** Reads the tables of dumps that are laid out as the builds of a game. */
async function readDumps(folder: string, dumps: string[], tables: object): Promise<BuildTables[]> {
  return await withFolder({}, async (target) => {
    await writeFiles(target, { 'game.json': JSON.stringify({ title: 'Game', tables }) });
    for (const [index, dump] of dumps.entries()) {
      await cp(path.join(UPSTREAM, folder, dump), path.join(target, dump), { recursive: true });
      await writeFiles(target, { [`${dump}/build.json`]: { released_at: `2026-01-0${index + 1}` } });
    }
    const { value: game, findings } = await readGame(target, 'game');
    assert.equal([game?.builds.length, findings], [dumps.length, []]);
    const builds: BuildTables[] = [];
    for await (const files of game ? findBuildFiles(game) : []) {
      const { value, findings } = await files.read();
      // Some files of no table have names as upstream spells them. They are skipped with a warning.
      assert.is(renderFindings(findings.filter(({ severity }) => severity === 'error')), '');
      builds.push(value);
    }
    return builds;
  });
}

function rowsOf(build: BuildTables | undefined, table: string): Record<string, Record<string, unknown>> {
  return build?.tables.get(table)?.value as unknown as Record<string, Record<string, unknown>>;
}

testUpstream(test, 'princess-connect: CSV, keyed by one field and by two', async () => {
  const builds = await readDumps('princess-connect', ['202312281824', '202403281636'], {
    units: { files: 'unit_data.csv', key: 'unit_id', escapes: 'backslash' },
    ranks: { files: 'unit_rarity.csv', key: ['unit_id', 'rarity'], columns: { hp: 'number', def: 'number' } },
  });
  const counts = builds.map((build) => [
    Object.keys(rowsOf(build, 'units')).length,
    Object.keys(rowsOf(build, 'ranks')).length,
  ]);
  assert.equal(counts[1], [247, 1123]);
  assert.is(counts[0]?.[1], 1117);
  const { unit_name, rarity, comment } = rowsOf(builds[1], 'units')['100101'] ?? {};
  assert.equal([unit_name, rarity], ['日和莉', 1]);
  assert.is(String(comment).split('\n').length, 3);
  const { hp, def, hp_growth } = rowsOf(builds[1], 'ranks')['100101:5'] ?? {};
  assert.equal([hp, def, hp_growth], [676.8, 4.91, '125.4']);
});

testUpstream(test, 'gakumas: YAML, with long integers in quotes', async () => {
  const [build] = await readDumps('gakumas', ['2026-03-31'], {
    cards: { files: 'IdolCard.yaml', key: 'id' },
    characters: { files: 'Character.yaml', key: 'id' },
    support: 'SupportCard.yaml',
  });
  const cards = rowsOf(build, 'cards');
  assert.equal(
    [cards, rowsOf(build, 'characters'), rowsOf(build, 'support')].map((rows) => Object.keys(rows).length),
    [132, 19, 180],
  );
  const { name, rarity, produceVocal, order, isLimited, additionalAnotherCostumeIds } =
    cards['i_card-amao-1-000'] ?? {};
  assert.equal([name, rarity, produceVocal, order], ['学園生活', 'IdolCardRarity_R', 65, '3999900109999']);
  assert.equal([isLimited, additionalAnotherCostumeIds], [false, []]);
  const { lastName, isPlayable } = rowsOf(build, 'characters').amao ?? {};
  assert.equal([lastName, isPlayable], ['有村', true]);
});

test.run();

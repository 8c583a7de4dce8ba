import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../scripts/compile/game.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { addBuild } from '../../scripts/upstream/add/add-build.ts';
import { startFromDump } from '../../scripts/upstream/new/new.ts';
import { rankRosters } from '../../scripts/upstream/new/roster.ts';
import { readDumpTables } from '../../scripts/upstream/new/tables.ts';
import { parsePlan, withFolder, writeFiles } from '../support/fixtures.ts';
import { testUpstream, UPSTREAM } from '../support/skip.ts';
import { type Aspect, GAMES, isRight, type ProposedGame, ROSTERS } from './proposed-games.ts';

const test = suite('what gamedata new proposes for the shared dumps');

/** The aims: how many of all aspects, and of all rosters, are proposed right. */
const MIN_SHARE = 0.8;
const MIN_ROSTERS = 0.9;

testUpstream(test, 'at least 80 % of what the shipped rosters have is proposed right', async () => {
  const lines: string[] = [];
  let [right, all] = [0, 0];
  for (const [title, game] of Object.entries(GAMES)) {
    const record = await propose(game);
    const aspects = Object.keys(game.expected) as Aspect[];
    const results = aspects.map((aspect) => [aspect, isRight(aspect, game.expected, record)] as const);
    right += Number(record.id === game.id) + results.filter(([, holds]) => holds).length;
    all += 1 + results.length;
    const listed = results.map(([aspect, holds]) => `${aspect} ${holds ? 'right' : 'WRONG'}`);
    lines.push(`${title.padEnd(22)} id ${record.id === game.id ? 'right' : 'WRONG'}, ${listed.join(', ')}`);
  }
  const share = right / all;
  console.log([...lines, `${right} of ${all} right (${Math.round(share * 100)} %)`].join('\n'));
  assert.ok(share >= MIN_SHARE, `${right} of ${all}`);
});

testUpstream(test, 'at least 90 % of the rosters are the first of those that are proposed', async () => {
  const known = Object.entries(ROSTERS).map(
    ([folder, name]) => [path.join(UPSTREAM, '..', folder), name] as const,
  );
  const wrong: string[] = [];
  const dumps = known.filter(([folder]) => existsSync(folder));
  for (const [folder, name] of dumps) {
    const [first] = rankRosters((await readDumpTables(folder)).tables);
    const found = first?.table.name ?? '';
    if (found !== name) wrong.push(`${folder}: ${found}`);
  }
  console.log(`${dumps.length - wrong.length} of ${dumps.length} rosters right\n${wrong.join('\n')}`);
  assert.ok(wrong.length <= dumps.length * (1 - MIN_ROSTERS), wrong.join('\n'));
});

/** Compiles what is proposed for a dump, and returns the record that is compared. */
async function propose({ parts, id }: ProposedGame): Promise<JsonObject> {
  return await withFolder({}, async (folder) => {
    const [dump, game] = [path.join(folder, 'dump'), path.join(folder, 'game')];
    for (const [from, to] of parts)
      for (const root of [UPSTREAM, path.join(UPSTREAM, '../upstream-more')])
        if (existsSync(path.join(root, from)))
          await cp(path.join(root, from), path.join(dump, to), { recursive: true });
    const { text, into } = await startFromDump('Game', dump);
    await writeFiles(game, { 'game.json': text });
    const at = '2026-01-01T00:00:00Z';
    await addBuild(dump, { game, build: '1', into, released_at: at, partial: false, now: at });
    await writeFiles(game, { '1/pull_planner.json': { currency: 'Gem' } });
    const { value, findings } = await compileGame(game, 'game', { lenient: true });
    const errors = findings
      .filter(({ severity }) => severity === 'error')
      .map(({ found, check }) => `${check}: ${found}`);
    if (errors.length > 0) console.log(errors);
    const [build] = value ? parsePlan(value) : [];
    return build?.characters.find((one) => one.id === id) ?? {};
  });
}

test.run();

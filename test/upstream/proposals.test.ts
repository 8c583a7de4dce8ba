import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addBuild } from '../../scripts/parts/upstream/add/add-build.ts';
import { findTables } from '../../scripts/parts/upstream/dump/find-tables.ts';
import { listDump } from '../../scripts/parts/upstream/dump/list-files.ts';
import { readValues } from '../../scripts/parts/upstream/dump/read-values.ts';
import type { JsonObject } from '../../scripts/core/format/dist-format.ts';
import { compileGame } from '../../scripts/core/game/compile-game.ts';
import { chooseRoster } from '../../scripts/parts/upstream/propose/choose-roster.ts';
import { proposeDefinition } from '../../scripts/parts/upstream/propose/propose-definition.ts';
import { renderDefinition } from '../../scripts/parts/upstream/propose/render-definition.ts';
import { parsePlan, withFolder, writeFiles } from '../support/fixtures.ts';
import { testUpstream, UPSTREAM } from '../support/skip.ts';
import { type Aspect, GAMES, isRight, type ProposedGame } from './proposed-games.ts';

const test = suite('what gamedata new proposes for the shared dumps');

/** The aim: how many of all names, rarities, stats and languages are proposed right. */
const MIN_SHARE = 0.8;

testUpstream(test, 'at least 80 % of names, rarities, stats and languages are proposed right', async () => {
  const lines: string[] = [];
  let [right, all] = [0, 0];
  for (const [title, game] of Object.entries(GAMES)) {
    const record = await propose(game);
    const aspects = Object.keys(game.expected) as Aspect[];
    const results = aspects.map((aspect) => [aspect, isRight(aspect, game.expected, record)] as const);
    right += results.filter(([, holds]) => holds).length;
    all += results.length;
    const listed = results.map(([aspect, holds]) => `${aspect} ${holds ? 'right' : 'WRONG'}`);
    lines.push(`${title.padEnd(22)} ${listed.join(', ')}`);
  }
  const share = right / all;
  console.log([...lines, `${right} of ${all} right (${Math.round(share * 100)} %)`].join('\n'));
  assert.ok(share >= MIN_SHARE, `${right} of ${all}`);
});

/** Compiles the roster that is proposed for a dump, unchanged, and returns the record that is compared. */
async function propose({ parts, id }: ProposedGame): Promise<JsonObject> {
  return await withFolder({}, async (folder) => {
    const [dump, game] = [path.join(folder, 'dump'), path.join(folder, 'game')];
    for (const [from, to] of parts)
      for (const root of [UPSTREAM, path.join(UPSTREAM, '../upstream-more')])
        if (existsSync(path.join(root, from)))
          await cp(path.join(root, from), path.join(dump, to), { recursive: true });
    const tables = findTables(await readValues(await listDump(dump)));
    const definition = proposeDefinition('Game', tables, chooseRoster(tables));
    // `new.test.ts` compiles the datasets too.
    delete definition.definition.datasets;
    await writeFiles(game, { 'game.json': renderDefinition(definition, [], []) });
    const options = { game, build: '1', into: '', released_at: '2026-01-01T00:00:00Z', note: undefined };
    await addBuild(dump, options, { into: '', partial: false }, '2026-01-01T00:00:00Z');
    await writeFiles(game, { '1/pull_planner.json': { currency: 'Gem' } });
    const { value } = await compileGame(game, 'game');
    const [build] = value ? parsePlan(value) : [];
    return build?.characters.find((one) => one.id === id) ?? {};
  });
}

test.run();

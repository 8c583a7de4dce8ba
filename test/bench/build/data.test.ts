import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGame } from '../../../scripts/game/compile-game.ts';
import { locateFindings, renderFindings } from '../../../scripts/report/report.ts';
import { parsePlan, withFolder } from '../../support/fixtures.ts';
import { startGame } from './data.ts';

const data = suite('the data of the bench');

data('is a game that compiles, whatever else the shipped game has by now', async () => {
  await withFolder({}, async (folder) => {
    const game = await startGame(path.join(folder, 'game'), 12);
    for (let build = 0; build < 2; build++) await game.addBuild();
    const { value, findings } = await compileGame(path.join(folder, 'game'), 'game');
    const errors = findings.filter(({ severity }) => severity === 'error');
    assert.is(renderFindings(await locateFindings(errors)), '');
    assert.equal(value && parsePlan(value).map(({ characters }) => characters.length), [12, 12]);
  });
});

data.run();

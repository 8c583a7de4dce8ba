import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../support/command.ts';
import { gameFiles, inFolder, withFolder } from '../../../support/fixtures.ts';

test('an endless expression is stopped and reported', async () => {
  await withFolder(inFolder('data/game', gameFiles()), async (cwd) => {
    const endless = '( $f := function($x) { $f($x) }; $f(1) )';
    const args = ['try', 'game', endless, '--time-limit', '2'];
    const { code, stdout, stderr } = await runCommand('gamedata', args, { cwd });
    assert.equal([code, stdout], [1, '']);
    assert.match(stderr, /^error .*\(time-limit\)$/m);
    assert.match(stderr, 'when the limit of 2 s was reached');
  });
});

test.run();

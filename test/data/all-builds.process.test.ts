import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../support/command.ts';
import { ROOT } from '../support/paths.ts';

const test = suite('all builds of the shipped games');

test('compile without a finding', async () => {
  const args = ['check', '--format', 'json', '--coverage', 'none', '--time-limit', '600'];
  const { stdout } = await runCommand('gamedata', args, { cwd: ROOT });
  assert.equal(JSON.parse(stdout).findings, []);
});

test.run();

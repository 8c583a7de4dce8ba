import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandName, startCommand } from '../support/command.ts';

const test = suite('commands whose output is closed');

/** The status of a Unix tool that writes to a closed pipe, as shells report it: 128 + SIGPIPE. */
const CLOSED = 141;

const COMMANDS: [CommandName, ...string[]][] = [
  ['gamedata', '--help'],
  ['gamedata', 'build', '--help'],
  ['gateway', '--help'],
  ['gateway', 'serve', '--help'],
];

for (const [name, ...args] of COMMANDS) {
  test(`${[name, ...args].join(' ')} ends without a message when its stdout is closed`, async () => {
    const { child, ended } = startCommand(name, args);
    child.stdout.destroy();
    const { code, stderr } = await ended;
    assert.equal([code, stderr], [CLOSED, '']);
  });
}

for (const name of ['gamedata', 'gateway'] as const) {
  test(`${name} ends when its stderr is closed`, async () => {
    const { child, ended } = startCommand(name, ['unknown']);
    child.stderr.destroy();
    assert.is((await ended).code, CLOSED);
  });
}

test.run();

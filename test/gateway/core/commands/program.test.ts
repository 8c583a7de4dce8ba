import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgram } from '../../../../gateway/core/commands/program.ts';

const program = suite('gateway --help');

program('says of each command what it says of itself, such as that a store has backups', async () => {
  const { commands } = await createProgram([]);
  const { commands: loaded } = await createProgram(commands.map((command) => command.name()));
  const describe = (all: typeof commands) => all.map((each) => `${each.name()}: ${each.description()}`);
  assert.equal(describe([...commands]), describe([...loaded]));
  assert.ok(
    describe([...commands]).includes('store: initialise, back up, verify, restore and migrate a store'),
  );
});

program.run();

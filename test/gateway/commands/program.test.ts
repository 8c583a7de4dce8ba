import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgram } from '../../../gateway/commands/program.ts';
import { DOORS } from '../../../gateway/doors.ts';
import { openDoors } from '../../../scripts/lib/port.ts';
import { readPage, readTable } from '../../support/docs/pages.ts';
import { runInProcess } from '../../support/run-in-process.ts';

const program = suite('the parts of gateway');

program('a gateway without parts has the commands of the core, and no option of a part', async () => {
  const { commands } = await createProgram(['serve', '--parts', 'none'], DOORS);
  assert.equal(
    commands.map((command) => command.name()),
    ['serve', 'keys'],
  );
  const options = commands[0]?.options.map(({ long }) => long) ?? [];
  for (const option of ['--dist', '--store', '--trusted-proxy']) assert.ok(options.includes(option), option);
  for (const option of ['--signup', '--metrics-port', '--site', '--check', '--workers', '--cdn-url'])
    assert.not.ok(options.includes(option), option);
});

program('a command besides serve has all parts', async () => {
  const { commands } = await createProgram(['accounts', '--parts', 'none'], DOORS);
  assert.ok(commands.some((command) => command.name() === 'accounts'));
});

program('parts are named by the option or by GATEWAY_PARTS', async () => {
  for (const [words, env] of [
    [['serve', '--parts=metrics, site', '--help'], {}],
    [['serve', '--help'], { GATEWAY_PARTS: 'metrics,site' }],
  ] as const) {
    const { code, stdout } = await runInProcess('gateway', [...words], { env });
    assert.is(code, 0);
    assert.match(stdout, '--metrics-port');
    assert.match(stdout, '--pro-price');
    assert.not.match(stdout, '--signup');
  }
});

program('a part that does not exist is refused, with those that do', async () => {
  const { code, stderr } = await runInProcess('gateway', ['serve', '--parts', 'metrics,sites']);
  assert.is(code, 2);
  assert.is(
    stderr,
    `gateway: --parts: there is no part "sites", expected all, none, ${Object.keys(DOORS).join(', ')}\n`,
  );
});

program('a part whose folder was deleted is refused if it is named', async () => {
  const missing = Object.assign(new Error('not found'), {
    code: 'ERR_MODULE_NOT_FOUND',
    url: 'file:///parts/metrics/door.js',
  });
  const doors = { ...DOORS, metrics: () => Promise.reject(missing) };
  const { commands } = await createProgram(['serve'], doors);
  assert.not.ok(commands[0]?.options.some(({ long }) => long === '--metrics-port'));
  try {
    await createProgram(['serve', '--parts', 'metrics'], doors);
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), 'the part "metrics" is not installed');
  }
});

program('the parts are those of running-it.md, and the door of each has the name of its folder', async () => {
  const rows = readTable(await readPage('docs/operators/running-it.md'), '| part |');
  const names = Object.keys(DOORS);
  assert.equal(
    rows.map(([name = '']) => name.replaceAll('`', '')),
    names,
  );
  const doors = await openDoors(DOORS);
  assert.equal(
    doors.map((door) => door.name),
    names,
  );
});

program.run();

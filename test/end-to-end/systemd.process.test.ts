import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../support/command.ts';
import { ROOT } from '../support/paths.ts';
import { withPrograms } from '../support/skip.ts';

const UNITS = path.join(ROOT, 'docs/operators/examples/systemd');
/** Exposure by `systemd-analyze security`, from 0 to 100; it calls up to 50 OK. */
const MAX_EXPOSURE = 20;

const units = suite('the units for systemd');
const test = withPrograms(units, 'systemd-analyze');

async function analyze(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startProcess('systemd-analyze', args).ended;
  assert.is(code, 0, stdout + stderr);
  return stdout + stderr;
}

test('are valid', async () => {
  for (const file of await readdir(UNITS)) {
    // A program of an example need not be installed here.
    const printed = await analyze(['verify', '--man=no', path.join(UNITS, file)]).catch(
      (error: Error) => error.message,
    );
    const faults = printed.split('\n').filter((line) => line !== '' && !/is not executable/.test(line));
    assert.equal(faults, [], file);
  }
});

test('are hardened', async () => {
  for (const file of ['gateway.service', 'gamedata.service', 'patch-day.service']) {
    await analyze(['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, path.join(UNITS, file)]);
  }
});

units.run();

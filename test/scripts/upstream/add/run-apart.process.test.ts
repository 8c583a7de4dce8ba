import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runApart } from '../../../../scripts/upstream/add/run-apart.ts';
import { withFolder } from '../../../support/fixtures.ts';

const test = suite('work on files of upstream, in a process of its own');

const WORKER = `export default ({ way }) => {
  if (way === 'ends') process.exit(1);
  if (way === 'throws') throw new Error('no such table');
  return way === 'refuses' ? { problem: 'a.json is too large' } : { pid: process.pid };
}`;

test('its result comes back, and whatever ends it is a message', async () => {
  await withFolder({ 'worker.mjs': WORKER }, async (folder) => {
    const file = pathToFileURL(path.join(folder, 'worker.mjs'));
    const run = (way: string) => runApart<{ pid: number }>(file, { way }, 'a.json cannot be trimmed');
    const messageOf = async (way: string) => {
      const error = await run(way).catch((reason: unknown) => reason);
      return error instanceof Error ? `${error.name}: ${error.message}` : 'no error';
    };
    assert.is.not((await run('works')).pid, process.pid);
    assert.is(await messageOf('refuses'), 'CommandError: a.json is too large');
    assert.is(await messageOf('throws'), 'CommandError: a.json cannot be trimmed: no such table');
    assert.match(await messageOf('ends'), /^CommandError: a.json cannot be trimmed: .* memory$/);
  });
});

test.run();

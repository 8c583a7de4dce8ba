import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failures } from '../../../../scripts/upstream/pull/failures.ts';
import { withFolder, writeFiles } from '../../../support/fixtures.ts';

const test = suite('what fails round after round');

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const read = (folder: string) => Failures.read(folder, 30 * MINUTE);

test('is reported once after half an hour, and once when it works again, also by other processes', async () => {
  await withFolder({}, async (folder) => {
    const first = await read(folder);
    assert.is(first.note('pull', 'game', 'no network', START), undefined);
    assert.is(first.note('pull', 'game', 'no network', START + 29 * MINUTE), undefined);
    await first.save();
    const due = (await read(folder)).note('pull', 'game', 'still none', START + 30 * MINUTE);
    assert.equal(due, { step: 'pull', game: 'game', since: '2026-01-01T00:00:00.000Z', error: 'still none' });

    const undelivered = (await read(folder)).note('pull', 'game', 'still none', START + 35 * MINUTE);
    assert.equal(undelivered, due);
    if (due) first.noteDelivered(due);
    await first.save();
    const next = await read(folder);
    assert.is(next.note('pull', 'game', 'still none', START + 40 * MINUTE), undefined);

    const ended = next.note('pull', 'game', undefined, START + 45 * MINUTE);
    assert.is(ended?.ended, '2026-01-01T00:45:00.000Z');
    await next.save();
    const again = (await read(folder)).note('pull', 'game', undefined, START + 50 * MINUTE);
    assert.equal(again, ended);
    if (ended) next.noteDelivered(ended);
    assert.is(next.note('pull', 'game', undefined, START + 55 * MINUTE), undefined);
    await next.save();
    assert.is(await readFile(path.join(folder, 'failures.json'), 'utf8'), '[]\n');
  });
});

test('is not reported if it happens once, however long ago, or works in between', async () => {
  await withFolder({}, async (folder) => {
    const failures = await read(folder);
    assert.is(failures.note('pull', 'game', 'no network', START), undefined);
    assert.is(failures.note('pull', 'game', undefined, START + 29 * MINUTE), undefined);
    assert.is(failures.note('pull', 'game', 'no network', START + 60 * MINUTE), undefined);
    assert.is(failures.note('build', 'game', 'disk full', START + 90 * MINUTE), undefined);
    assert.is(failures.note('publish', undefined, 'no bucket', START + 90 * MINUTE), undefined);
  });
});

test('that fails again before the notice of its end was delivered goes on as the same failure', async () => {
  await withFolder({}, async (folder) => {
    const failures = await read(folder);
    failures.note('publish', undefined, 'no bucket', START);
    const due = failures.note('publish', undefined, 'no bucket', START + 30 * MINUTE);
    if (due) failures.noteDelivered(due);
    failures.note('publish', undefined, undefined, START + 35 * MINUTE);
    assert.is(failures.note('publish', undefined, 'no bucket', START + 40 * MINUTE), undefined);
    const ended = failures.note('publish', undefined, undefined, START + 45 * MINUTE);
    assert.equal([ended?.since, ended?.ended], [due?.since, '2026-01-01T00:45:00.000Z']);
  });
});

test('is noted anew if its file is damaged', async () => {
  for (const damaged of ['{', '[{"step": "pull"}]', '{}']) {
    await withFolder({}, async (folder) => {
      await writeFiles(folder, { 'failures.json': damaged });
      const failures = await read(folder);
      failures.note('pull', 'game', 'no network', START);
      await failures.save();
      assert.match(await readFile(path.join(folder, 'failures.json'), 'utf8'), 'no network');
    });
  }
});

test.run();

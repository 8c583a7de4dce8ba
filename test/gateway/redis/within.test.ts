import { setImmediate as nextTick } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../../../gateway/redis/within.ts';
import { block } from '../../support/block.ts';

const test = suite('within');

test('returns a result or failure that arrives in time', async () => {
  assert.is(await within(nextTick('here'), 60_000), 'here');
  const failing = nextTick().then(() => Promise.reject<string>(new Error('no')));
  assert.match(await within(failing, 60_000).catch(String), 'no');
});

test('gives up on a result that does not arrive, but only after the whole time', async () => {
  const waited = within(new Promise<string>(() => {}), 60);
  block(100);
  const sentAt = performance.now();
  assert.match(await waited.catch(String), 'no response within 60 ms');
  assert.ok(performance.now() - sentAt >= 60);
});

test('returns a late result if this process was too busy to check earlier', async () => {
  let respond = (_: string) => {};
  const response = new Promise<string>((resolve) => {
    respond = resolve;
  });
  const waited = within(response, 60);
  for (let looks = 1; looks <= 3; looks++) {
    await nextTick();
    await nextTick();
    if (looks === 3) setImmediate(respond, 'late');
    block(100);
  }
  assert.is(await waited, 'late');
});

test.run();

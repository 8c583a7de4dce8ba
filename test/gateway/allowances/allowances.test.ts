import * as assert from 'uvu/assert';
import { MAX_IN_SHARD, type Use, useAllowances } from '../../../gateway/allowances/allowances.ts';
import { type Store, StoreError } from '../../../gateway/store/store.ts';
import { onEachStore } from '../store/on-each-store.ts';

const NOW = Date.parse('2030-05-01T10:00:00Z');
const MINUTE = 60_000;
const TWICE = { atOnce: 2, everyMs: MINUTE };

const twice = (name: string): Use => ({ name, allowance: TWICE });

/** @returns 'allowed', or in how many seconds it is */
async function use(store: Store, uses: readonly Use[], now = NOW): Promise<'allowed' | number> {
  const outcome = await useAllowances(store, uses, now);
  return outcome.isAllowed ? 'allowed' : outcome.seconds;
}

async function keptBy(store: Store): Promise<[name: string, value: string][]> {
  return await store.list('allowances:', { after: '', limit: 1000 });
}

onEachStore(
  'allowances',
  () => NOW,
  (test) => {
    test('are used some times at once, and once more after each interval', async ({ store }) => {
      const ask = (now: number) => use(store, [twice('a')], now);
      assert.equal(
        [await ask(NOW), await ask(NOW + 1000), await ask(NOW + 1000)],
        ['allowed', 'allowed', 59],
      );
      assert.equal([await ask(NOW + MINUTE), await ask(NOW + MINUTE)], ['allowed', 60]);
      assert.equal(await use(store, [twice('b')], NOW + MINUTE), 'allowed', 'another name');
    });

    test('are used together or not at all, and what is refused leaves nothing', async ({ store }) => {
      await use(store, [twice('spent')]);
      await use(store, [twice('spent')]);
      const before = await keptBy(store);
      for (let n = 0; n < 50; n++) assert.is(await use(store, [twice(`new ${n}`), twice('spent')]), 60);
      assert.equal(await keptBy(store), before);
    });

    test('can be taken back, and are gone as soon as they are unused again', async ({ store, place }) => {
      const outcome = await useAllowances(store, [twice('a'), twice('b')], NOW);
      assert.ok(outcome.isAllowed);
      if (outcome.isAllowed) await outcome.takeBack();
      assert.equal(await keptBy(store), []);
      await use(store, [twice('a')]);
      const later = await place.open(() => NOW + MINUTE);
      assert.equal(await keptBy(later), []);
      await later.close();
    });

    test('have a reserve for those who have not used something', async ({ store }) => {
      const from = (who: string): Use[] => [
        twice(who),
        { ...twice('all'), reserve: { ...twice('reserve'), whileUnused: who } },
      ];
      const asked: unknown[] = [];
      for (const who of ['a', 'a', 'a', 'b', 'b', 'c', 'd']) asked.push(await use(store, from(who)));
      assert.equal(asked, ['allowed', 'allowed', 60, 'allowed', 60, 'allowed', 60]);
    });

    test('are exact over processes', async ({ store, place }) => {
      const other = await place.open(() => NOW);
      const asked = Array.from({ length: 12 }, (_, n) =>
        use(n % 2 ? store : other, [twice('a'), twice(`${n}`)]),
      );
      assert.is((await Promise.all(asked)).filter((outcome) => outcome === 'allowed').length, 2);
      await other.close();
    });

    test('of a clock that was set back by days are as unused', async ({ store }) => {
      const later = NOW + 3 * 86_400_000;
      await use(store, [twice('a')], later);
      await use(store, [twice('a')], later);
      assert.equal([await use(store, [twice('a')]), await use(store, [twice('a')])], ['allowed', 'allowed']);
      assert.is(await use(store, [twice('a')]), 60);
    });

    test('stay used when the clock was set back a little, and no wait is longer than an interval', async ({
      store,
    }) => {
      const daily = { name: 'a', allowance: { atOnce: 4, everyMs: 6 * 60 * MINUTE } };
      for (let n = 0; n < 4; n++) assert.is(await use(store, [daily]), 'allowed');
      assert.is(await use(store, [daily], NOW - 1000), 6 * 3600);
    });

    test('do not conflict within a process, and a failed use stops no other', async ({ store }) => {
      await use(store, [twice('the first one')]);
      const outcomes: (boolean | 'failed')[] = [];
      const commit = store.commit.bind(store);
      store.commit = async (change) => {
        if (outcomes.push('failed') === 1) throw new StoreError('the disk is full');
        outcomes[outcomes.length - 1] = await commit(change);
        return true;
      };
      const asked = Array.from({ length: 40 }, (_, n) => use(store, [twice('all'), twice(`${n}`)]));
      const settled = await Promise.allSettled(asked);
      assert.is(settled.filter(({ status }) => status === 'rejected').length, 1);
      assert.equal(outcomes, ['failed', true, true]);
    });

    test('do not wait for one that the store does not respond to', async ({ store }) => {
      await use(store, [twice('the first one')]);
      const commit = store.commit.bind(store);
      await new Promise<void>((hangs) => {
        store.commit = () => new Promise(() => hangs());
        void use(store, [twice('a')]);
      });
      const next = Array.from({ length: 20 }, (_, n) => use(store, [twice(`${n}`)]));
      store.commit = commit;
      assert.is((await Promise.all(next)).filter((outcome) => outcome === 'allowed').length, 20);
    });

    test('are limited in number: those that are unused again first are forgotten', async ({ store }) => {
      const names = Array.from({ length: 200 * MAX_IN_SHARD }, (_, n) => twice(`some ${n}`));
      await use(store, [twice('much used')]);
      await use(store, [twice('much used')]);
      for (let n = 0; n < 3; n++)
        await use(
          store,
          names.map(({ name }) => twice(`${n} ${name}`)),
          NOW + n,
        );
      const kept = (await keptBy(store)).map(([, value]) => Object.keys(JSON.parse(value)).length);
      assert.equal([kept.length, Math.max(...kept)], [256, MAX_IN_SHARD]);
      assert.ok(Math.max(...(await keptBy(store)).map(([, value]) => value.length)) < 3000);
      assert.is(await use(store, [twice('much used')], NOW + 3), 60);
    });
  },
);

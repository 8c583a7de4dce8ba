import * as assert from 'uvu/assert';
import { migrateStore } from '../../../gateway/backup/migrate.ts';
import { openStore } from '../../../gateway/store/open-store.ts';
import { type Store, StoreError, type Write } from '../../../gateway/store/store.ts';
import { runInProcess } from '../../support/run-in-process.ts';
import { onEachDriver } from '../store/on-each-store.ts';
import { type StorePlace, sqlitePlace } from '../store/places.ts';

interface Context {
  source: StorePlace;
  target: StorePlace;
  from: Store;
  to: Store;
}

const NOW = Date.now();
const LATER = NOW + 86_400_000;

onEachDriver<Context>('a migration to a store', (test, all, makePlace) => {
  all.before.each(async (context) => {
    context.source = await sqlitePlace();
    context.target = await makePlace();
    context.from = await context.source.open();
    context.to = await context.target.open();
    const write = new Map<string, Write>();
    for (let n = 0; n < 1200; n++) write.set(`thing:${n}`, { value: `{"n":${n},"text":"日|本"}` });
    write.set('late:1', { value: 'late', expires: LATER });
    write.set('soon:1', { value: 'soon', expires: NOW + 3_600_000 });
    await context.from.commit({ read: new Map(), write });
  });
  all.after.each(async ({ from, to, source, target }) => {
    await from.close();
    await to.close();
    await source.remove();
    await target.remove();
  });

  const migrate = ({ from, to }: Context) => migrateStore({ from, to, now: () => NOW });

  async function failure(work: Promise<unknown>): Promise<string> {
    const error = await work.catch((reason: unknown) => reason);
    assert.instance(error, StoreError);
    return (error as Error).message;
  }

  test('copies all records with their expiry, there and back', async (context) => {
    const { from, to } = context;
    assert.is(await migrate(context), 1202);
    assert.equal(await to.read(['thing:7', 'late:1', 'soon:1']), ['{"n":7,"text":"日|本"}', 'late', 'soon']);
    const [late] = await to.dump({ after: 'late:', limit: 1 });
    assert.is(late?.expires, LATER);
    assert.is.not(await to.identity(), await from.identity());
    const place = await sqlitePlace();
    const back = await place.open();
    assert.is(await migrateStore({ from: to, to: back, now: () => NOW }), 1202);
    await back.close();
    await place.remove();
  });

  test('is refused where the target is not empty, and changes nothing there', async (context) => {
    const { to } = context;
    await to.commit({ read: new Map(), write: new Map([['a:1', { value: 'one' }]]) });
    assert.match(await failure(migrate(context)), /the target is not empty/);
    assert.equal(await to.read(['a:1', 'thing:1', 'migration']), ['one', undefined, undefined]);
  });

  test('can be done again after it was interrupted; until then no gateway opens the target', async (context) => {
    const { from, to, target } = context;
    let commits = 0;
    const broken = Object.assign(Object.create(to) as Store, {
      identity: () => to.identity(),
      read: (names: string[]) => to.read(names),
      dump: (page: { after: string; limit: number }) => to.dump(page),
      commit: (change: Parameters<Store['commit']>[0]) => {
        if (++commits === 3) throw new StoreError('killed');
        return to.commit(change);
      },
    });
    assert.is(await failure(migrateStore({ from, to: broken, now: () => NOW })), 'killed');
    assert.match(await failure(openStore(target.address)), /a migration to it was not finished/);
    await from.commit({ read: new Map(), write: new Map([['thing:0', { value: null }]]) });
    assert.is(await migrate(context), 1201);
    assert.equal(await to.read(['thing:0']), [undefined]);
    await (await openStore(target.address)).close();
  });

  test('is refused where the source changes meanwhile', async (context) => {
    const { from, to } = context;
    let commits = 0;
    const busy = Object.assign(Object.create(to) as Store, {
      identity: () => to.identity(),
      read: (names: string[]) => to.read(names),
      dump: (page: { after: string; limit: number }) => to.dump(page),
      commit: async (change: Parameters<Store['commit']>[0]) => {
        const isDone = await to.commit(change);
        await from.commit({ read: new Map(), write: new Map([['thing:1', { value: String(++commits) }]]) });
        return isDone;
      },
    });
    assert.match(await failure(migrateStore({ from, to: busy, now: () => NOW })), /the stores differ/);
    assert.is(await migrate(context), 1202);
    assert.equal(await to.read(['thing:1']), [String(commits)]);
  });

  test('is refused to the store itself', async ({ from }) => {
    assert.match(await failure(migrateStore({ from, to: from, now: () => NOW })), /the same store/);
  });

  test('moves keys by one command', async ({ from, to, source, target }) => {
    await from.close();
    await to.close();
    const issued = await runInProcess('gateway', [
      'keys',
      'issue',
      'ada@example.org',
      '--store',
      source.address,
    ]);
    assert.is(issued.code, 0, issued.stderr);
    const args = ['store', 'migrate', '--from', source.address, '--to', target.address, '--json'];
    const { code, stdout, stderr } = await runInProcess('gateway', args);
    assert.is(code, 0, stderr);
    assert.ok((JSON.parse(stdout) as { records: number }).records > 1202);
    const listed = await runInProcess('gateway', ['keys', 'list', '--store', target.address]);
    assert.match(listed.stdout, /ada@example\.org/);
    const again = await runInProcess('gateway', args);
    assert.is(again.code, 1);
    assert.match(again.stderr, /^gateway: the target is not empty/);
  });
});

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { EMAILS, listing, type OldContext } from './old-folders.ts';

/** Registers the tests of the way there and back. */
export function thereAndBack(test: Test<OldContext>): void {
  test('with its keys, its identity and its counters, and back with what was issued and revoked since', async ({
    world,
    makeStore,
  }) => {
    const store = await makeStore();
    const [kept, ended] = [
      await world.issueKey('old', store, 'cid@example.org'),
      await world.issueKey('old', store, 'dan@example.org'),
    ];
    const [before] = await world.ask('old', store, [kept]);
    const identity =
      existsSync(path.join(store, 'identity')) && (await readFile(path.join(store, 'identity'), 'utf8'));
    const [after] = await world.ask('new', store, [kept]);
    assert.equal([after?.status, after?.left], [200, (before?.left ?? 0) - 1]);
    if (identity !== false)
      assert.is(
        JSON.parse(await world.complete('new', 'store', 'init', '--json', '--store', store)).identity,
        identity.trim(),
      );

    const later = await world.issueKey('new', store, 'eve@example.org');
    await world.complete('new', 'keys', 'revoke', ended.slice(0, 12), '--store', store);
    const back = world.newStore();
    await world.complete('new', 'store', 'migrate', '--from', store, '--to', `lmdb:${back}`);
    const served = await world.ask('old', back, [kept, later, ended]);
    assert.equal(
      served.map(({ status }) => status),
      [200, 200, 401],
    );
    assert.equal(await world.listEmails('old', back), [...EMAILS, 'cid@example.org', 'eve@example.org']);
    assert.equal(await world.listEmails('new', back), [...EMAILS, 'cid@example.org', 'eve@example.org']);
  });

  test('and refused by the old version from then on, which makes no new store there', async ({
    world,
    makeStore,
  }) => {
    const store = await makeStore();
    assert.equal(await world.listEmails('new', store), EMAILS);
    const files = (await readdir(store)).sort();
    for (const args of [listing(store), ['serve', '--port', '0', '--dist', 'dist', '--store', store]]) {
      const { code, stderr } = await world.run('old', args);
      assert.is(code, 1, stderr);
      assert.match(stderr, /its data\.mdb is (damaged|no LMDB file|not an LMDB file)/, args[0]);
    }
    assert.equal((await readdir(store)).sort(), files);
    assert.match(await readFile(path.join(store, 'data.mdb'), 'utf8'), /store\.sqlite.*before-sqlite/s);
    assert.equal(await world.listEmails('new', store), EMAILS);
    assert.equal(await world.listEmails('old', path.join(store, 'before-sqlite')), EMAILS);
  });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readKey } from '../../../gateway/keys/api-key.ts';
import { findKey } from '../../../gateway/people/accounts/accounts.ts';
import { openLmdbStore } from '../../../gateway/store/lmdb-store.ts';
import { type Ended, runCommand } from '../../support/command.ts';

test('a process that has the store open sees a key that another issues and revokes', async () => {
  const store = await mkdtemp(path.join(tmpdir(), 'keys-'));
  const running = await openLmdbStore(store);
  const keys = async (...args: string[]): Promise<Ended> => {
    const ended = await runCommand('gateway', ['keys', ...args, '--store', store]);
    assert.is(ended.code, 0, ended.stderr);
    return ended;
  };
  try {
    const issued = await keys('issue', 'ada@example.org', '--json');
    const { key, prefix } = JSON.parse(issued.stdout) as { key: string; prefix: string };
    const hash = readKey(key)?.hash ?? '';
    assert.is((await findKey(running, hash))?.key.revoked_at, null);
    await keys('revoke', prefix);
    const shown = JSON.parse((await keys('show', prefix, '--json')).stdout) as { revoked_at: string };
    assert.type(shown.revoked_at, 'string');
    assert.is((await findKey(running, hash))?.key.revoked_at, shown.revoked_at);
  } finally {
    await running.close();
    await rm(store, { recursive: true });
  }
});

test.run();

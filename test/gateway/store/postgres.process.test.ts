// Runs on PostgreSQL the tests that run on each engine.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endPostgres, postgresPlace, usePostgres } from './engines.ts';
import { hasPostgres } from './postgres-server.ts';

usePostgres();
await import('./store.test.ts');
await import('./accounts.test.ts');
await import('./quota.test.ts');
await import('../people/requests.test.ts');
await import('../people/account-mails.test.ts');
const last = suite('the server');
last('has a clock that is not set back with that of the machine', async () => {
  if (!hasPostgres) return;
  const store = await (await postgresPlace()).open();
  const before = store.now();
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  assert.ok(store.now() >= before);
  Date.now = now;
  await store.close();
});
last('ends', endPostgres);
last.run();

// Runs on PostgreSQL the tests that run on each engine.
import { suite } from 'uvu';
import { endPostgres, usePostgres } from './engines.ts';

usePostgres();
await import('./store.test.ts');
await import('./accounts.test.ts');
await import('./quota.test.ts');
await import('../people/requests.test.ts');
await import('../people/account-mails.test.ts');
const last = suite('the server');
last('ends', endPostgres);
last.run();

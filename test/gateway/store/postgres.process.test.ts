// Runs on PostgreSQL the tests that run on each engine.
import './defer-tests.ts';
import { endPostgres, usePostgres } from './engines.ts';

usePostgres();
await import('./store.test.ts');
await import('./accounts.test.ts');
await import('./quota.test.ts');
const { exec } = await import('uvu');
await exec();
await endPostgres();

import { endPostgres, usePostgres } from './engines.ts';

usePostgres();
await import('./store.test.ts');
await import('./accounts.test.ts');
process.on('beforeExit', () => endPostgres());

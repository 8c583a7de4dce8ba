export type { LockHolder } from '../dist/lock.ts';

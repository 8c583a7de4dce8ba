export { withLock as withLease } from '../dist/lock.ts';

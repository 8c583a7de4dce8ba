import { mountLater } from './lib/mount-later.ts';

mountLater('newer-record', () => import('./lib/mount-newer-record.tsx'));

import { mountLater } from './lib/mount-later.ts';

for (const name of ['plot', 'newer-record']) mountLater(name, () => import('./lib/mount-record.tsx'));

import { mountLater } from './lib/mount-later.ts';

mountLater('patch', () => import('./lib/mount-patch.tsx'));

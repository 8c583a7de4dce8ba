import { mountLater } from './lib/mount-later.ts';

mountLater('plot', () => import('./lib/mount-plot.tsx'));

import { remoteDists } from '../../core/catalog/remote-dist.ts';
import type { Door } from '../../core/commands/door.ts';
import { bucketSchemes } from '../../core/snapshot-links/bucket-scheme.ts';

export const door: Door = {
  name: 'mirror',
  offer() {
    remoteDists.offer(() => import('./remote-dists.ts'));
    bucketSchemes.offer(() => import('./s3-scheme.ts'));
  },
};

import { REMOTE_DISTS } from '../../core/catalog/open-dist.ts';
import type { Door } from '../../core/commands/door.ts';
import { BUCKET_SCHEMES } from '../../shared/links/bucket-scheme.ts';

export const door: Door = {
  name: 'mirror',
  offer() {
    REMOTE_DISTS.offer(() => import('./remote-dists.ts'));
    BUCKET_SCHEMES.offer(() => import('./s3-scheme.ts'));
  },
  loadServed: async () => ({ addOptions: (await import('./mirror-options.ts')).addMirrorOptions }),
};

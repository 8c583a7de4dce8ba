import { REMOTE_DISTS } from '../data/open-dist.ts';
import type { Door } from '../commands/door.ts';
import { BUCKET_SCHEMES } from '../links/shared/bucket-scheme.ts';

export const door: Door = {
  name: 'mirror',
  offer() {
    REMOTE_DISTS.offer(() => import('./remote-dists.ts'));
    BUCKET_SCHEMES.offer(() => import('./s3-scheme.ts'));
  },
  loadServed: async () => ({ addOptions: (await import('./mirror-options.ts')).addMirrorOptions }),
};

import { KEY_PLACES } from '../../core/access/authenticate.ts';
import type { Door } from '../../core/commands/door.ts';
import { KEY_TERMS } from '../../core/commands/ports.ts';

export const door: Door = {
  name: 'key-terms',
  offer() {
    KEY_PLACES.offer(async () => (await import('./key-places.ts')).PLACES);
    KEY_TERMS.offer(async () => (await import('./commands/key-terms.ts')).TERMS);
  },
};

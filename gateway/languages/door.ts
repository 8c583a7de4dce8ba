import type { Door } from '../commands/door.ts';
import { TRANSLATIONS } from '../query/translation.ts';

export const door: Door = {
  name: 'languages',
  offer() {
    TRANSLATIONS.offer(async () => (await import('./translations.ts')).LANGUAGES);
  },
};

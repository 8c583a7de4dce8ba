import type { Door } from '../../core/commands/door.ts';
import { TRANSLATIONS } from '../../core/query/translation.ts';

export const door: Door = {
  name: 'languages',
  offer() {
    TRANSLATIONS.offer(async () => (await import('./translations.ts')).LANGUAGES);
  },
};

import type { Door } from '../commands/door.ts';
import { OLD_FOLDERS } from '../store/ports.ts';
import { BACKUPS } from '../facts/facts.ts';

export const door: Door = {
  name: 'backup',
  offer() {
    OLD_FOLDERS.offer(async () => {
      const { takeOverFolder } = await import('./old-folder/take-over.ts');
      return { takeOver: takeOverFolder };
    });
    BACKUPS.offer(async () => {
      const { readLastBackup } = await import('./past-backups.ts');
      return { readLast: readLastBackup };
    });
  },
  commands: {
    store: {
      summary: 'initialise, back up, verify, restore and migrate a store',
      load: async () => (await import('./commands/store.ts')).storeCommand(),
    },
  },
};

import type { Door } from '../commands/door.ts';
import { BULK } from '../dist/ports.ts';

/** The formats for spreadsheets, notebooks and databases. */
export const door: Door = {
  name: 'bulk',
  offer: () =>
    BULK.offer(async () => {
      const { BulkFiles } = await import('./bulk-files.ts');
      return (options) => new BulkFiles(options);
    }),
};

import { KEY_PLACES } from '../access/charge.ts';
import { type Door, KEY_TERMS } from '../commands/door.ts';

export const door: Door = {
  name: 'key-terms',
  offer() {
    KEY_PLACES.offer(async () => (await import('./key-places.ts')).PLACES);
    KEY_TERMS.offer(async () => (await import('./commands/key-terms.ts')).TERMS);
  },
  loadServed: async () => ({
    async prepare() {
      const { CountedKeyUses } = await import('./count-uses.ts');
      const { addKeyUses } = await import('../key-uses/key-uses.ts');
      return ({ clientAddress, store }) => ({
        keyUses: new CountedKeyUses({ clientAddress, add: (usages) => addKeyUses(store, usages) }),
      });
    },
  }),
};

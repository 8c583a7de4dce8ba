import type { Door } from '../../core/commands/door.ts';

export const door: Door = {
  name: 'outages',
  loadServed: async () => ({
    async prepare() {
      const { OutageMeter } = await import('./outage-meter.ts');
      return ({ store, now, log }) => ({ meter: new OutageMeter({ store, now, log }) });
    },
  }),
};

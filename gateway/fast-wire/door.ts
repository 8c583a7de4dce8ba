import { Option } from 'commander';
import type { Door } from '../commands/door.ts';
import { parseSwitch } from '../commands/strict-mode.ts';

export const door: Door = {
  name: 'fast-wire',
  loadServed: async () => ({
    addOptions(command) {
      command.addOption(
        new Option(
          '--plain-http [on|off]',
          'write responses with node:http, without the fast path, to rule it out as the cause of a fault',
        )
          .env('GATEWAY_PLAIN_HTTP')
          .preset('on')
          .default(false, 'off')
          .argParser(parseSwitch),
      );
    },
    async prepare({ command }) {
      if (command.opts<{ plainHttp: boolean }>().plainHttp) return () => ({});
      const writer = (await import('./fast-writer.ts')).FAST_WRITER;
      return () => ({ writer });
    },
  }),
};

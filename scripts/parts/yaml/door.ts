import type { Door } from '../../core/commands/door.ts';
import { YAML } from '../../core/read/formats.ts';

/** The format YAML. */
export const door: Door = {
  name: 'yaml',
  offer: () =>
    YAML.offer(async () => {
      const { parseYaml, findYamlLines } = await import('./yaml.ts');
      return { parse: parseYaml, findLines: findYamlLines };
    }),
};

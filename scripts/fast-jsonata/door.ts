import type { Door } from '../commands/door.ts';
import { FAST_ENGINE } from '../jsonata/load-engine.ts';

/** The evaluation of mappings without promises. */
export const door: Door = {
  name: 'fast-jsonata',
  offer: () =>
    FAST_ENGINE.offer(async () => {
      const { makeRewrittenEngine } = await import('./make-engine.ts');
      return (source, filename) => makeRewrittenEngine(source, filename);
    }),
};

import type { Door } from '../commands/door.ts';
import { SOURCE_SCHEMA } from '../schemas/ports.ts';
import { EVALUATE, REFERENCES } from '../workers/ports.ts';
import type { NewGameTask } from './review/new-game.ts';
import type { Trial } from './try/trial.ts';

/** What takes in the builds of upstream: the first dump, later ones, and the review of both. */
export const door: Door = {
  name: 'upstream',
  offer() {
    SOURCE_SCHEMA.offer(async () => (await import('./pull/source-definition.ts')).sourceSchema);
    REFERENCES.offer(async () => (await import('./references/provide-references.ts')).provideReferences);
    EVALUATE.offer(async () => async (task, steps) => {
      const work = task as Trial | NewGameTask;
      if ('newGame' in work) return await (await import('./review/new-game.ts')).describeNewGame(work, steps);
      return await (await import('./try/try-expression.ts')).tryExpression(work, steps);
    });
  },
  commands: {
    new: async () => (await import('./commands/new.ts')).newCommand(),
    add: async (start) => (await import('./commands/add.ts')).addCommand(start),
    pull: async (start) => (await import('./commands/pull.ts')).pullCommand(start),
    vendor: async () => (await import('./commands/vendor.ts')).vendorCommand(),
    try: async (start) => (await import('./commands/try.ts')).tryCommand(start),
    diff: async (start) => (await import('./commands/diff.ts')).diffCommand(start),
    review: async (start) => (await import('./commands/review.ts')).reviewCommand(start),
    renumber: async (start) => (await import('./commands/renumber.ts')).renumberCommand(start),
  },
};

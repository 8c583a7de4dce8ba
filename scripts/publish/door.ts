import type { Door } from '../commands/door.ts';
import { PUBLISH } from '../dist/ports.ts';

/** What verifies dist/, copies it to a folder or an object store, and removes old files. */
export const door: Door = {
  name: 'publish',
  offer: () => PUBLISH.offer(async () => (await import('./publish-dist.ts')).publishDist),
  commands: {
    verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
    prune: async () => (await import('./commands/prune.ts')).pruneCommand(),
    publish: async () => (await import('./commands/publish.ts')).publishCommand(),
    keypair: async () => (await import('./commands/keypair.ts')).keypairCommand(),
  },
};

import type { Command } from 'commander';
import type { StartWorkers } from '../workers/workers.ts';

/** Makes a command. @param start starts the workers that compile (default: as processes) */
export type LoadCommand = (start?: StartWorkers) => Promise<Command>;

/** A part of the compiler that can be left out, as `scripts/doors.ts` lists it. The file loads nothing else of its part. */
export interface Door {
  /** The name of its folder. */
  name: string;
  /** Offers what the part does to the ports of the core. */
  offer?: () => void;
  /** The commands of `gamedata` that it adds, by name: a module is loaded only if its command runs, or for the help. */
  commands?: Readonly<Record<string, LoadCommand>>;
}

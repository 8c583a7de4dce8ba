import type { Command } from 'commander';

/** A part of the gateway that can be left out, as `gateway/doors.ts` lists it. The file loads nothing else of its part. */
export interface Door {
  /** The name of its folder, as `--parts` names it. */
  name: string;
  /** Offers what the part does to the ports of the core. */
  offer?: () => void;
  /** The commands of `gateway` that it adds, by name; loaded only if they are named on the command line. */
  commands?: Readonly<Record<string, CommandEntry>>;
}

export interface CommandEntry {
  /** What the command does, for `--help`. */
  summary: string;
  load: () => Promise<Command>;
}

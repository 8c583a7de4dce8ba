import type { Command } from 'commander';
import { Port } from '../../scripts/lib/port.ts';
import type { KeyFields } from '../store/accounts/accounts.ts';
import type { People } from '../api/people.ts';
import type { Route } from '../api/route.ts';
import type { DegradedPart } from '../data/dist-files.ts';
import type { DistFollower } from '../data/follow-dist.ts';
import type { ClientAddress } from '../http/incoming.ts';
import type { Log, WrittenLog } from '../http/log.ts';
import type { Gateway, GatewayParts } from '../server.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from './store-command.ts';

/** A part of the gateway that can be left out, as `gateway/doors.ts` lists it. The file loads nothing else of its part. */
export interface Door {
  /** The name of its folder, as `--parts` names it. */
  name: string;
  /** Offers what the part does to the ports of the core. */
  offer?: () => void;
  /** The commands of `gateway` that it adds, by name; loaded only if they are named on the command line. */
  commands?: Readonly<Record<string, CommandEntry>>;
  /** Loads what it adds to `gateway serve`. */
  loadServed?: () => Promise<ServedPart>;
}

export interface CommandEntry {
  /** What the command does, for `--help`. */
  summary: string;
  /** @param parts what the parts of this gateway add to `gateway serve` */
  load: (parts: readonly ServedPart[]) => Promise<Command> | Command;
}

/** What a part adds to `gateway serve`. */
export interface ServedPart {
  addOptions?(command: Command): void;
  /** Makes the clock of the gateway, which returns ms since 1970; without it, that is the clock of the machine. */
  makeClock?(reports: ClockReports): () => number;
  /**
   * Reads its settings, and opens nothing.
   *
   * @returns what makes it once the data and the store are open
   * @throws CommandError that says what is wrong
   */
  prepare?(setup: PartSetup): Promise<MakePart> | MakePart;
  /** Does its work in the process above several workers. @returns what ends that */
  supervise?(setup: PartSetup): Promise<() => Promise<void>>;
  /** Ends the command before anything is opened; undefined to go on. */
  replace?(command: Command, parts: readonly ServedPart[]): Promise<void> | undefined;
}

/** Where a clock reports its jumps. */
export interface ClockReports {
  log: Log;
  /** Called with a description when a jump begins, and without one when it is over. */
  report: (problems: readonly DegradedPart[]) => void;
}

/** What a part is prepared from. */
export interface PartSetup {
  /** Has the options of `gateway serve`. */
  command: Command;
  log: WrittenLog;
}

export type MakePart = (core: Core) => RunningPart;

/** What the core gives to a part. */
export interface Core {
  follower: DistFollower;
  store: Store;
  log: WrittenLog;
  /** ms since 1970. */
  now: () => number;
  clientAddress: ClientAddress;
  /** The route table of the API. */
  routes: readonly Route[];
  /** Where people reach the gateway, without a path. */
  publicUrl: () => string;
  /** Where the gateway listens, once it does. */
  address: () => string;
  /** The gateway, once it is put together. */
  gateway: () => Gateway;
  faults: Readonly<Faults>;
}

/** A part of one gateway: what it adds to it, and what it does at its start and end. */
export interface RunningPart extends GatewayParts {
  people?: Partial<People>;
  /** Runs before the gateway listens: what can fail. */
  open?(): Promise<void>;
  /** Prints what whoever starts the gateway needs, once it listens and before the log says so. */
  print?(): Promise<void>;
  /** Runs once it listens. */
  start?(): Promise<void> | void;
  /** What the log says of it when the gateway listens. */
  describe?(): Readonly<Record<string, string | undefined>>;
  /** Runs also when the start has failed. */
  close?(): Promise<unknown>;
}

/** What has happened since the start that an operator has to know of. */
export interface Faults {
  /** Damaged records that were found. */
  damagedRecords: number;
  /** How often the clock of the machine jumped. */
  clockJumps: number;
}

/** What keys may be bound to, in `gateway keys`. */
export interface KeyTerms {
  /** Adds the options of a new key. */
  addOptions(issue: Command): void;
  /** Reads these options. @throws CommandError if one is not valid */
  readFields(options: object, now: number): KeyFields;
  /** Adds the commands that change a key. */
  addCommands(keys: Command, now: Clock): void;
}

export const KEY_TERMS = new Port<KeyTerms>();

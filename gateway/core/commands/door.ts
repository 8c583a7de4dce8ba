import type { ServerResponse } from 'node:http';
import type { Command } from 'commander';
import type { KeyUses } from '../access/authenticate.ts';
import type { KeyFinder, KeySource, Meter, RequestLimits } from '../access/ports.ts';
import type { ApiAccess, ApiIncoming } from '../api/api-access.ts';
import type { People } from '../api/people.ts';
import type { Links, Route } from '../api/routes/route.ts';
import type { DegradedPart } from '../catalog/degraded.ts';
import type { DistFollower } from '../catalog/follow-dist.ts';
import type { ClientAddress } from '../http/client-address.ts';
import type { Endpoint, FileHandler } from '../http/endpoint.ts';
import type { PageFrame, ResponseObserver } from '../http/incoming.ts';
import type { Log, WrittenLog } from '../log/log.ts';
import type { Gateway } from '../server.ts';
import type { Store } from '../store/store.ts';
import type { MakeGuard } from '../wire/http-server.ts';
import type { Writer } from '../wire/identified-response.ts';
import type { Replies } from '../wire/replies.ts';

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
  /** What `gateway doctor` checks of it. */
  checks?: readonly PartCheck[];
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
  facts: Facts;
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
export interface RunningPart {
  endpoints?: readonly Endpoint[];
  /** Makes further addresses, which make requests to the API themselves. */
  apiEndpoints?: (api: ApiAccess) => readonly Endpoint[];
  /** Makes signed addresses of downloads. */
  links?: Links;
  files?: MakeFiles;
  frame?: PageFrame;
  people?: Partial<People>;
  makeKeys?: (source: KeySource) => KeyFinder;
  /** @throws HttpProblem `unavailable` when the store is not ready */
  checkStore?: () => Promise<void>;
  meter?: Meter;
  limits?: RequestLimits;
  keyUses?: KeyUses;
  replies?: Replies;
  guard?: MakeGuard;
  writer?: Writer;
  observe?: ResponseObserver;
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

/** Makes the handler of files, for addresses that nothing else has; its errors are sent as problems. */
export type MakeFiles = (
  onError: (error: unknown, request: ApiIncoming, response: ServerResponse) => void,
) => FileHandler;

/** What a part knows and others show. A part sets its own when it is prepared; others read them later. */
export interface Facts {
  /** Whether there are pages about games, to which messages link. */
  hasSite: boolean;
  /** Whether people can get keys by mail. */
  hasSignup: boolean;
  /** Where people join Pro. */
  joinLinks: readonly { name: string; address: string }[];
  /** Mails since the start, by outcome; undefined when the gateway sends none. */
  mails: Readonly<Record<string, number>> | undefined;
  /** Reads the state of the alerts of each channel. Rejects when the store does not respond. */
  readAlerts(): Promise<AlertChannel[]>;
}

/** The state of a channel's alerts. */
export interface AlertChannel {
  channel: string;
  /** Deliveries that are due and that no gateway has begun. */
  due: { count: number; oldest: number | undefined };
  /** Attempts of this process since its start, by outcome; undefined when it has no such channel. */
  outcomes: Readonly<Record<string, number>> | undefined;
}

/** What has happened since the start that an operator has to know of. */
export interface Faults {
  /** Damaged records that were found. */
  damagedRecords: number;
  /** How often the clock of the machine jumped. */
  clockJumps: number;
}

/** A check of `gateway doctor`. */
export interface PartCheck<S = CheckSetup> {
  name: string;
  /** What holds when nothing is found. */
  description: string;
  find(setup: S): Promise<Fault[]> | Fault[];
}

/** What a part's check reads. */
export interface CheckSetup {
  /** Whether the rules that protect a gateway from others are on. */
  isStrict: boolean;
  /** Opens the store; undefined when it will be made at the first start. @throws StoreError, NotTakenOver */
  openStore(): Promise<Store | undefined>;
}

/** One thing that is wrong, or was not checked. */
export interface Fault {
  /**
   * `error`: the gateway cannot run, loses data, or lacks protection. `warning`: it runs, but a setting is probably wrong.
   * `not set`: there was nothing to check.
   */
  level: 'error' | 'warning' | 'not set';
  /** What is wrong or not set, and where; one sentence without a full stop. */
  problem: string;
  /** What to do, or what it means that it is not set. */
  advice: string;
}

/** What is known without any part. */
export function noFacts(): Facts {
  return { hasSite: false, hasSignup: false, joinLinks: [], mails: undefined, readAlerts: async () => [] };
}

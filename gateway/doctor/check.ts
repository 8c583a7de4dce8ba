import type { CheckSetup, Fault, PartCheck } from '../facts/checks.ts';

/** A check of a machine and of the settings of a gateway on it. */
export type Check = PartCheck<Setup>;

/** The settings of a gateway, and the machine that it is to run on. */
export interface Setup {
  settings: Settings;
  machine: Machine;
}

/** The settings that checks read. */
export interface Settings extends CheckSetup {
  host: string;
  port: number;
  metricsHost: string;
  /** undefined without metrics. */
  metricsPort: number | undefined;
  dist: string;
  /** The folder for a dist/ that is not a folder. */
  cache: string;
  s3Endpoint: string | undefined;
  store: string;
  workers: number;
  publicUrl: string | undefined;
  /** Whether X-Forwarded-For is read. */
  trustsProxies: boolean;
  /** Whether others can reach the gateway. */
  isReachable: boolean;
  /** Reads the settings that are otherwise read at the start. @throws Error that says what is wrong */
  readRest(): Promise<void>;
}

/** What checks read from the machine. */
export interface Machine {
  /** `20.19.1`. */
  nodeVersion: string;
  /** undefined on systems without user ids. */
  uid: number | undefined;
  cores: number;
  /** How many files and connections a process may have open; undefined where it cannot be read. */
  maxOpenFiles: number | undefined;
  /** The words of the command line. */
  words: readonly string[];
  temporaryFolder: string;
  /** ms since 1970. */
  now(): number;
  /** Free bytes of the disk that a folder is or would be on; undefined where it cannot be read. */
  freeBytes(folder: string): Promise<number | undefined>;
  /** Writes and removes a file in a folder, or in the nearest folder above that exists. @throws Error of node:fs */
  tryWriting(folder: string): Promise<void>;
  /** Returns whether all users of the machine can read or enter a folder. */
  canOthersRead(folder: string): Promise<boolean>;
  /** Listens for a moment. @throws Error of node:net */
  tryListening(port: number, host: string): Promise<void>;
}

/** Makes an error. */
export function error(problem: string, advice: string): Fault {
  return { level: 'error', problem, advice };
}

/** Makes a warning. */
export function warning(problem: string, advice: string): Fault {
  return { level: 'warning', problem, advice };
}

/** Makes the note that something was not checked. */
export function notSet(problem: string, meaning: string): Fault {
  return { level: 'not set', problem, advice: meaning };
}

/** Returns the message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

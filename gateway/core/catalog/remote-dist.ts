import type { KeyObject } from 'node:crypto';
import type { FileRef, Index } from '../../../scripts/core/format/dist-format.ts';
import { Port } from '../../../scripts/core/lib/port.ts';
import type { Log } from '../log/log.ts';
import type { DegradedParts } from './degraded.ts';
import { DistError } from './dist-folder.ts';

/** Opens a dist/ that is not on this machine. */
export interface RemoteDists {
  /**
   * Keeps a folder equal to it.
   *
   * @throws DistError when the folder has no state yet and none can be fetched
   */
  mirror(address: string, options: RemoteOptions): Promise<DistMirror>;
  /** Reads its index, of which the files may be missing. @throws DistError */
  readIndex(address: string, endpoint: string | undefined): Promise<Index>;
}

export const REMOTE_DISTS = new Port<RemoteDists>();

/** Returns whether an address is not that of a folder on this machine. */
export function isRemote(address: string): boolean {
  return /^(https?|s3):/i.test(address);
}

/** Loads what opens a dist/ that is not on this machine. @throws DistError without the part for that */
export async function loadRemoteDists(address: string): Promise<RemoteDists> {
  const loaded = await REMOTE_DISTS.load();
  if (loaded) return loaded;
  throw new DistError(
    `--dist ${address} is not a folder, and this gateway runs without the part mirror, which follows other addresses; name a folder, or add mirror to --parts`,
  );
}

/** Options of a copy. */
export interface RemoteOptions {
  /** The folder of the copy. */
  folder: string;
  /** The endpoint of an S3-compatible store other than AWS. */
  endpoint: string | undefined;
  /**
   * Loads a state whose files are in the folder. Rejects with a DistError when no game of it can be loaded; then the previous state stays.
   *
   * @returns the games that cannot be loaded; undefined for none
   */
  tryState: (index: Index) => Promise<ReadonlyMap<string, DistError> | undefined>;
  log: Log;
  /** Which published states are followed; by default all except those that are older than the last one. */
  trust: Trust | undefined;
  /** Where to report what is degraded. */
  degraded: DegradedParts;
  /** The time in ms since 1970: the start fetches only what is loaded into memory then. The other files follow in the background. */
  servedAt: number;
}

/** Which published states a gateway follows. */
export interface Trust {
  /** Public keys; if there are any, a state has to be signed by one. */
  keys: readonly KeyObject[];
  /** Whether to follow a state although a newer one was followed before. */
  allowOlder: boolean;
}

/** A running mirror. */
export interface DistMirror {
  readonly state: MirrorState;
  /** Fetches a file of the folder again from the source. @throws DistError */
  refetch(ref: FileRef): Promise<void>;
  /** Stops checking the source. */
  close(): void;
}

/** The state of a mirror. */
export interface MirrorState {
  /** When the index of the source was last read, in ms since 1970; undefined when it never was. */
  readAt: number | undefined;
  /** The serial of what was last read; undefined when the source has none. */
  serial: number | undefined;
  /** Why the folder is not equal to the source; undefined when it is. */
  failure: string | undefined;
  /** Whether that is because the source has an older state than before, none any more, or one without the right signature. */
  isRefused: boolean;
  /** Whether the failure is about some games only: the folder is equal to the source in all others. */
  isPartial: boolean;
}

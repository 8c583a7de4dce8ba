import type { KeyObject } from 'node:crypto';
import type { FileRef } from '../../scripts/format/dist-format.ts';
import type { MirrorState } from '../data/follow-dist.ts';

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

import { Ports } from '../../scripts/lib/port.ts';
import { isOldFolder } from '../store/folder-files.ts';
import { type Store, StoreError } from '../store/store.ts';

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

/** What `gateway doctor` checks of parts. */
export const PART_CHECKS = new Ports<readonly PartCheck[]>();

/** The error for a folder of a version before 0.2 that must not be changed now. */
export class NotTakenOver extends StoreError {}

/**
 * Refuses a folder that `takeOverIfOld` would change, for commands that only read it.
 *
 * @throws NotTakenOver when it is of a version before 0.2
 */
export function refuseIfOld(folder: string): void {
  if (!isOldFolder(folder)) return;
  throw new NotTakenOver(
    `cannot read the store in ${folder}: it is from a version before 0.2, and was not taken over; start the gateway once, which takes it over`,
  );
}

import { Ports } from '../../../scripts/core/lib/port.ts';
import type { Store } from '../../core/store/store.ts';

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

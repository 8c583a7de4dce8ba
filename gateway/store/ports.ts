import { Port } from '../../scripts/lib/port.ts';
import type { DriverOptions, Store } from './store.ts';

/** Opens stores on other machines: Redis or Valkey. */
export interface RemoteStores {
  /** @throws StoreError when it cannot be opened */
  open(address: string, options: RemoteStoreOptions): Promise<Store>;
}

export const REMOTE_STORES = new Port<RemoteStores>();

/** Options of a store on another machine. */
export interface RemoteStoreOptions extends DriverOptions {
  /** The identity that the store must have; without it, a store that has none is new. */
  identity?: string | undefined;
  /** Whether the store is taken as it is, also in place of one that was lost. */
  givesUp?: boolean;
}

/** Takes over folders that a version before 0.2 wrote. */
export interface OldFolders {
  /**
   * @param options.acceptsLoss whether damaged records are left out, and another identity is accepted
   * @throws StoreError when the folder cannot be taken over
   */
  takeOver(folder: string, options: { acceptsLoss: boolean }): Promise<void>;
}

export const OLD_FOLDERS = new Port<OldFolders>();

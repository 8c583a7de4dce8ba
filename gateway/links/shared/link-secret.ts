import { keyedName } from '../../store/secrets.ts';
import type { Store } from '../../store/sql.ts';

/** Returns the secret that all gateways on a store sign addresses with. */
export function readLinkSecret(store: Store): string {
  return keyedName(store, 'links');
}

import { DOORS as GATEWAY_DOORS } from '../../gateway/doors.ts';
import { NESTED_FILTERS } from '../../gateway/query/filters.ts';
import { NAME_SEARCH } from '../../gateway/query/names.ts';
import { openDoors } from '../../scripts/lib/port.ts';

const gatewayDoors = await openDoors(GATEWAY_DOORS);

/** Offers what the parts of the gateway do to its ports, also after a test closed some. */
export async function offerParts(): Promise<void> {
  for (const { offer } of gatewayDoors) offer?.();
  // Tests search and filter lists without waiting.
  await NAME_SEARCH.load();
  await NESTED_FILTERS.load();
}

await offerParts();

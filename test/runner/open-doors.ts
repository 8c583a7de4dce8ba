import { NAME_SEARCH } from '../../gateway/query/names.ts';
import { NESTED_FILTERS } from '../../gateway/query/filters.ts';
import { DOORS as GATEWAY_DOORS } from '../../gateway/doors.ts';
import { openDoors } from '../../scripts/lib/port.ts';
import { openParts } from '../../scripts/workers/parts.ts';
import { DOORS, DOORS_MODULE } from '../../scripts/doors.ts';

const gatewayDoors = await openDoors(GATEWAY_DOORS);

/** Offers what the parts of the gateway do to its ports, also after a test closed some. */
export async function offerParts(): Promise<void> {
  for (const { offer } of gatewayDoors) offer?.();
  // Tests search and filter lists without waiting.
  await NAME_SEARCH.load();
  await NESTED_FILTERS.load();
}

/** Opens the doors of all parts, as `cli.ts` does: a test file that calls code of the core in its own process loads this first. */
await openParts(DOORS, DOORS_MODULE);
await offerParts();

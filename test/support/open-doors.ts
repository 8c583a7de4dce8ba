import { nearSearch } from '../../gateway/core/query/near-names.ts';
import { DOORS } from '../../gateway/doors.ts';
import { openDoors } from '../../scripts/core/lib/port.ts';

const doors = await openDoors(DOORS);

/** Opens the doors of all parts, as the commands do, for what tests do in their own process. */
export async function offerParts(): Promise<void> {
  for (const { offer } of doors) offer?.();
  // Tests search lists without waiting.
  await nearSearch.load();
}

await offerParts();

import '../support/open-doors.ts';
import { openParts } from '../../scripts/core/workers/parts.ts';
import { DOORS, DOORS_MODULE } from '../../scripts/doors.ts';

/** Opens the doors of all parts, as `cli.ts` does: a test file that calls code of the core in its own process loads this first. */
await openParts(DOORS, DOORS_MODULE);

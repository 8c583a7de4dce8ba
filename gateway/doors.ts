import type { Doors } from '../scripts/core/lib/port.ts';
import type { Door } from './core/commands/door.ts';

/** Lists the doors of all parts of the gateway. A part whose folder is deleted is left out. */
export const DOORS: Doors<Door> = {};

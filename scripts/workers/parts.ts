import { type Doors, openDoors } from '../lib/port.ts';

/** A door, as far as workers use it. */
interface Offering {
  offer?: () => void;
}

let listed: string | undefined;

/** The module that exports the doors of this process as `DOORS`; undefined if it opened none. */
export function doorsOfWorkers(): string | undefined {
  return listed;
}

/**
 * Opens the doors of all parts that are installed. Worker processes that this process starts open them too.
 *
 * @param module the address of the module that exports `doors` as `DOORS`
 */
export async function openParts<D extends Offering>(doors: Doors<D>, module: string): Promise<D[]> {
  listed = module;
  const opened = await openDoors(doors);
  for (const door of opened) door.offer?.();
  return opened;
}

/** The same in a worker process. */
export async function openPartsOf(module: string): Promise<void> {
  const { DOORS } = (await import(module)) as { DOORS: Doors<Offering> };
  await openParts(DOORS, module);
}

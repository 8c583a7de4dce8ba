import { Port } from '../lib/port.ts';

/** Watches game folders until the process gets SIGINT or SIGTERM. Changes during a rebuild are handled after it. */
export const WATCH = new Port<
  /**
   * @param data the folder with the game folders
   * @param slugs the games to watch; all if empty
   * @param begin is called first; changes that are saved during it are handled after it
   * @param rebuild gets the games whose files changed; undefined if game folders were added or removed
   */
  (
    data: string,
    slugs: readonly string[],
    begin: () => Promise<void>,
    rebuild: (changed: string[] | undefined) => Promise<void>,
  ) => Promise<void>
>();

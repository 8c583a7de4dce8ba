import { CommandError } from './command-error.ts';
import { lazy } from './lazy.ts';

/**
 * What the core lets a part do for it: the core defines the port and calls what it gets, and the door of a part offers that. Without the
 * part, the core does without it, or says what is missing.
 */
export class Port<T> {
  #get: (() => T | Promise<T>) | undefined;

  /**
   * Offers something, unless that was done before.
   *
   * @param load makes what the part does; called once, at first use, so that a part that is never used is never loaded
   */
  offer(load: () => Promise<T>): void {
    this.#get ??= lazy(load);
  }

  /** Whether a part offers it. */
  get isOffered(): boolean {
    return this.#get !== undefined;
  }

  /** Takes the offer back, for tests of the core alone. */
  close(): void {
    this.#get = undefined;
  }

  /**
   * Loads what was asked for.
   *
   * @param what for the message, as `--formats csv`
   * @param part the part that offers it
   * @throws CommandError if it is not installed
   */
  async need(what: string, part: string): Promise<T> {
    const loaded = await this.load();
    if (loaded !== undefined) return loaded;
    throw new CommandError(`${what} needs the part "${part}", which is not installed`, 2);
  }

  /** Loads it; undefined when no part offers it. */
  async load(): Promise<T | undefined> {
    return await this.#get?.();
  }

  /** Returns it at once when it is loaded, so that only its first use waits; undefined when no part offers it. */
  get(): T | Promise<T> | undefined {
    return this.#get?.();
  }
}

/** A port to which each part may offer something of its own. */
export class Ports<T> {
  readonly #ports = new Map<string, Port<T>>();

  /** Offers something, unless that was done before. @param name that of the part, or of what it does */
  offer(name: string, load: () => Promise<T>): void {
    const port = this.#ports.get(name) ?? new Port<T>();
    this.#ports.set(name, port);
    port.offer(load);
  }

  /** Takes an offer back, for tests. A later offer has the same place. */
  close(name: string): void {
    this.#ports.get(name)?.close();
  }

  /** Loads everything that is offered, in the order of the first offers. */
  async load(): Promise<T[]> {
    const loaded = await Promise.all([...this.#ports.values()].map((port) => port.load()));
    return loaded.filter((each) => each !== undefined);
  }
}

/** The doors of all parts, by name: `door.ts` of each, which loads nothing else of its part before it is used. */
export type Doors<D> = Readonly<Record<string, () => Promise<{ door: D }>>>;

/**
 * Imports the doors of parts. A part whose folder was deleted is left out.
 *
 * @param names the parts to take; by default all
 */
export async function openDoors<D>(doors: Doors<D>, names = Object.keys(doors)): Promise<D[]> {
  const opened = await Promise.all(names.map((name) => openDoor(name, doors[name])));
  return opened.filter((door) => door !== undefined);
}

async function openDoor<D>(name: string, load: Doors<D>[string] | undefined): Promise<D | undefined> {
  try {
    return (await load?.())?.door;
  } catch (error) {
    if (isDeleted(name, error)) return undefined;
    throw error;
  }
}

/** Whether the door itself is missing. A part that lacks another file is broken, which is an error. */
function isDeleted(name: string, error: unknown): boolean {
  const { code, url = '' } = error as NodeJS.ErrnoException & { url?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && new RegExp(`/parts/${name}/door\\.[jt]s$`).test(url);
}

/**
 * What the core lets a part do for it: the core defines the port and calls what it gets, and the door of a part offers that. Without the
 * part, the core does without it, or says what is missing.
 */
export class Port<T> {
  #load: (() => Promise<T>) | undefined;
  #loaded: Promise<T> | undefined;

  /** @param load makes what the part does; called once, at first use, so that a part that is never used is never loaded */
  offer(load: () => Promise<T>): void {
    this.#load = load;
    this.#loaded = undefined;
  }

  /** Whether a part offers it. */
  get isOffered(): boolean {
    return this.#load !== undefined;
  }

  /** Takes the offer back, for tests of the core alone. */
  close(): void {
    this.#load = undefined;
    this.#loaded = undefined;
  }

  /** Loads it; undefined when no part offers it. */
  async load(): Promise<T | undefined> {
    this.#loaded ??= this.#load?.();
    return this.#loaded;
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

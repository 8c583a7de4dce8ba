/** How long entries are joined that repeat one that was written, in ms. */
const JOIN_MS = 60_000;
/** How many different entries are remembered; others are written each time. */
const MAX_KNOWN = 500;

/** An entry of the log without its time. */
export interface Entry {
  level: 'info' | 'error';
  message: string;
  fields: Record<string, string | number | boolean | undefined>;
}

/**
 * Joins entries that repeat: the first is written at once; those that are the same in all members are counted, and written as one entry with
 * their number in `repeated` after a minute.
 */
export class RepeatedEntries {
  readonly #write: (entry: Entry) => void;
  readonly #joinMs: number;
  /** What was written in this minute, and how often it came again. */
  readonly #entries = new Map<string, Entry & { repeated: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (entry: Entry) => void, joinMs = JOIN_MS) {
    this.#write = write;
    this.#joinMs = joinMs;
  }

  /** Writes an entry, or counts it. */
  add(entry: Entry): void {
    const key = JSON.stringify(entry);
    const repetition = this.#entries.get(key);
    if (repetition) {
      repetition.repeated++;
      return;
    }
    this.#write(entry);
    if (this.#entries.size >= MAX_KNOWN) return;
    this.#entries.set(key, { ...entry, repeated: 0 });
    this.#timer ??= setTimeout(() => this.flush(), this.#joinMs).unref();
  }

  /** Writes what was counted. An entry that did not repeat is written at once the next time. */
  flush(): void {
    clearTimeout(this.#timer);
    for (const [key, repetition] of this.#entries) {
      const { level, message, fields, repeated } = repetition;
      if (repeated > 0) this.#write({ level, message, fields: { ...fields, repeated } });
      else this.#entries.delete(key);
      repetition.repeated = 0;
    }
    const isEmpty = this.#entries.size === 0;
    this.#timer = isEmpty ? undefined : setTimeout(() => this.flush(), this.#joinMs).unref();
  }
}

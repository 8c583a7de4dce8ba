/** Where a log is written. */
export interface LogStream {
  write(text: string): unknown;
  on(event: 'error' | 'drain', listener: () => void): unknown;
  /** How many bytes wait to be written; absent if nothing ever waits. */
  readonly writableLength?: number;
}

/** How many bytes may wait for a slow reader; further lines are dropped and counted. */
const MAX_QUEUED = 1024 * 1024;
/** The share of it that is reserved for lines that are not about responses. */
const RESERVED = MAX_QUEUED / 4;

/** Writes lines to a stream, and drops and counts them while its reader is too slow. */
export class LogQueue {
  readonly #stream: LogStream;
  readonly #describeDropped: (lines: number) => string;
  /** Lines that were dropped since the last report of them. */
  #dropped = 0;
  #reported = 0;

  /** @param describeDropped makes the line that reports how many lines were dropped */
  constructor(stream: LogStream, describeDropped: (lines: number) => string) {
    this.#stream = stream;
    this.#describeDropped = describeDropped;
    // The gateway keeps running when its log has no reader any more.
    stream.on('error', () => {});
    stream.on('drain', () => this.#reportDropped());
  }

  /** How many lines were dropped since the start. */
  get dropped(): number {
    return this.#reported + this.#dropped;
  }

  /** Writes one line. */
  write(line: string): void {
    if (this.#queued >= MAX_QUEUED) this.#dropped += 1;
    else this.#send(line);
  }

  /** Returns whether lines about responses can be written now; otherwise they are counted as dropped. */
  hasRoomFor(lines: number): boolean {
    if (this.#queued < MAX_QUEUED - RESERVED) return true;
    this.#dropped += lines;
    return false;
  }

  /** Writes several lines, for which there is room. */
  writeAll(portions: readonly string[]): void {
    for (const portion of portions) this.#send(portion);
  }

  get #queued(): number {
    return this.#stream.writableLength ?? 0;
  }

  #send(text: string): void {
    if (this.#dropped > 0 && this.#queued < RESERVED) this.#reportDropped();
    this.#stream.write(text);
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    const line = this.#describeDropped(this.#dropped);
    this.#reported += this.#dropped;
    this.#dropped = 0;
    this.#stream.write(line);
  }
}

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

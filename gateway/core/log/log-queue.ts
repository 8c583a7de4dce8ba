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

import { randomBytes } from 'node:crypto';
import { type Admission, type Reading, StoreError } from '../store.ts';
import { type CounterChange, type CounterLine, formatLine, parseLine } from './line.ts';
import { findNewestSnapshot } from './log-folder.ts';
import { type LogSegment, openSegment } from './segment.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';
import { CounterState } from './state.ts';

/** Options of a log of counters. */
export interface CounterLogOptions {
  /** An existing folder. It is not read until counters are changed or read. */
  folder: string;
  /** ms since 1970 */
  now: () => number;
  /** The minimum length of a segment; by default 4 MiB. */
  segmentBytes?: number;
}

/** A line that this process has appended, and its bytes. */
interface OwnLine {
  line: CounterLine;
  bytes: Buffer;
}

/** The minimum length of a segment. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** The minimum length per account: about twice the bytes that a snapshot has for one. */
const ACCOUNT_BYTES = 200;

/**
 * The counters of all accounts, in a log that processes share without a lock; the README of this room explains it. Methods throw the errors
 * of the file system.
 */
export class CounterLog {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #segmentBytes: number;
  /** The beginning of the names of this process's lines. */
  readonly #name = randomBytes(6).toString('hex');
  #lines = 0;
  /** undefined if everything must be read again. */
  #segment: LogSegment | undefined;
  #state = new CounterState();
  /** The last segment that this process ended. */
  #ended = 0;
  /** Writes the snapshot of everything up to its end, step by step. */
  #snapshot: Generator<void, void> | undefined;

  constructor({ folder, now, segmentBytes = SEGMENT_BYTES }: CounterLogOptions) {
    this.#folder = folder;
    this.#now = now;
    this.#segmentBytes = segmentBytes;
  }

  /** Returns what an account has used. */
  read(account: string): Reading {
    this.#catchUp();
    return this.#state.read(account, this.#now());
  }

  /**
   * Makes changes, one after the other, with no changes of other processes in between.
   *
   * @returns the outcome of each
   */
  change(changes: readonly CounterChange[]): Admission[] {
    this.#continueSnapshot();
    this.#endLongSegment();
    for (;;) {
      const line = { at: this.#now(), changes };
      const bytes = this.#open().append(formatLine(line, `${this.#name}-${this.#lines++}`));
      // The line is void if the segment had ended, or if it follows a line that another process did not finish.
      const admissions = this.#catchUp({ line, bytes });
      if (admissions !== undefined) return admissions;
    }
  }

  close(): void {
    this.#snapshot?.return();
    this.#snapshot = undefined;
    this.#go(undefined);
  }

  #continueSnapshot(): void {
    const snapshot = this.#snapshot;
    // A snapshot that fails is dropped; another is written after the next segment.
    this.#snapshot = undefined;
    if (snapshot?.next().done === false) this.#snapshot = snapshot;
  }

  #endLongSegment(): void {
    // If segments ended faster than snapshots are written, they would never be removed.
    if (this.#snapshot || !this.#isLong()) return;
    // Another process may have ended the segment.
    this.#catchUp();
    if (!this.#isLong()) return;
    const segment = this.#open();
    segment.seal();
    this.#ended = segment.number;
    this.#catchUp();
  }

  #isLong(): boolean {
    return this.#open().length > Math.max(this.#segmentBytes, ACCOUNT_BYTES * this.#state.size);
  }

  /** Returns the open segment. If there is none, everything is read again, beginning with the newest snapshot. */
  #open(): LogSegment {
    while (this.#segment === undefined) {
      const number = findNewestSnapshot(this.#folder);
      this.#state = new CounterState();
      for (const line of readSnapshot(this.#folder, number)) this.#apply(line);
      this.#go(openSegment(this.#folder, number));
    }
    return this.#segment;
  }

  /**
   * Reads to the end of the log.
   *
   * @param own the line that this process has just appended
   * @returns the outcome of that line; undefined if it is void
   */
  #catchUp(own?: OwnLine): Admission[] | undefined {
    const segment = this.#open();
    let isRead = false;
    let admissions: Admission[] | undefined;
    segment.read((bytes) => {
      isRead = true;
      if (own?.bytes.equals(bytes)) admissions = this.#apply(own.line);
      else this.#apply(parseLine(bytes.toString()));
    });
    if (segment.isSealed && admissions === undefined) {
      this.#moveOn(segment.number + 1);
      return this.#catchUp();
    }
    if (own && !isRead) this.#refuseCut();
    return admissions;
  }

  #apply(line: CounterLine | undefined): Admission[] | undefined {
    try {
      return line && this.#state.apply(line);
    } catch (error) {
      // A part of the line may have been applied.
      this.#go(undefined);
      throw error;
    }
  }

  /** Continues with the segment after one that has ended. */
  #moveOn(number: number): void {
    this.#state.forgetUnused();
    this.#go(openSegment(this.#folder, number));
    if (this.#ended !== number - 1) return;
    this.#ended = 0;
    const lines = this.#state.snapshot();
    this.#snapshot = writeSnapshot({ folder: this.#folder, number, lines, writer: this.#name });
    this.#snapshot.next();
  }

  #go(segment: LogSegment | undefined): void {
    this.#segment?.close();
    this.#segment = segment;
  }

  #refuseCut(): never {
    this.#go(undefined);
    throw new StoreError(
      `the counters in ${this.#folder} were cut short; only gateways may write to this folder`,
    );
  }
}

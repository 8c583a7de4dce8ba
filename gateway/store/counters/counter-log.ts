import { randomBytes } from 'node:crypto';
import { type Admission, type Reading, StoreError } from '../store.ts';
import { type CounterChange, type CounterLine, formatLine, parseLine } from './line.ts';
import { findNewestSnapshot } from './log-folder.ts';
import { type LogSegment, openSegment } from './segment.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';
import { CounterState } from './state.ts';

/** What a log of counters takes. */
export interface CounterLogOptions {
  /** The folder is there; it is read when something is first changed or asked for. */
  folder: string;
  /** ms since 1970 */
  now: () => number;
  /** How long a segment becomes, at least. */
  segmentBytes?: number;
}

/** A line that was appended, and its bytes. */
interface Own {
  line: CounterLine;
  bytes: Buffer;
}

/** How long a segment becomes, at least, in bytes. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** How much of that, at least, for each account: about twice of what a snapshot has. */
const ACCOUNT_BYTES = 200;

/**
 * The counters of all accounts as a log that processes share, without a lock; the README of this folder explains it. Where the file
 * system fails, its error is thrown.
 */
export class CounterLog {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #segmentBytes: number;
  /** What the names of this process's lines begin with. */
  readonly #name = randomBytes(6).toString('hex');
  #lines = 0;
  /** undefined when all is to be read anew. */
  #segment: LogSegment | undefined;
  #state = new CounterState();
  /** The segment that this process has ended last. */
  #ended = 0;
  /** Writes the snapshot of what was up to there. */
  #snapshot: Generator<void, void> | undefined;

  constructor({ folder, now, segmentBytes = SEGMENT_BYTES }: CounterLogOptions) {
    this.#folder = folder;
    this.#now = now;
    this.#segmentBytes = segmentBytes;
  }

  /** What an account has used. */
  read(account: string): Reading {
    this.#catchUp();
    return this.#state.read(account, this.#now());
  }

  /**
   * Makes changes, one after the other and nothing between.
   *
   * @returns the outcome of each
   */
  change(changes: readonly CounterChange[]): Admission[] {
    this.#continueSnapshot();
    this.#endLongSegment();
    for (;;) {
      const line = { at: this.#now(), changes };
      const bytes = this.#open().append(formatLine(line, `${this.#name}-${this.#lines++}`));
      // It is void when the segment had ended, and when it follows what another process could not write whole.
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
    // Where it fails, it is left: another is made after the next segment.
    this.#snapshot = undefined;
    if (snapshot?.next().done === false) this.#snapshot = snapshot;
  }

  #endLongSegment(): void {
    // Segments that are ended faster than snapshots are made would never be removed.
    if (this.#snapshot || !this.#isLong()) return;
    // Another process may have ended it.
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

  /** The segment that is being read; where there is none, all is read anew from the newest snapshot. */
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
   * Reads on to the end of the log.
   *
   * @param own what this process has just appended
   * @returns the outcome of that; undefined where it is void
   */
  #catchUp(own?: Own): Admission[] | undefined {
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
      // A part of it may be done.
      this.#go(undefined);
      throw error;
    }
  }

  /** Goes on to the segment after one that has ended. */
  #moveOn(number: number): void {
    this.#state.forgetUnused();
    this.#go(openSegment(this.#folder, number));
    if (this.#ended !== number - 1) return;
    this.#ended = 0;
    const lines = this.#state.snapshot();
    this.#snapshot = writeSnapshot({ folder: this.#folder, number, lines, maker: this.#name });
    this.#snapshot.next();
  }

  #go(segment: LogSegment | undefined): void {
    this.#segment?.close();
    this.#segment = segment;
  }

  #refuseCut(): never {
    this.#go(undefined);
    throw new StoreError(
      `the quotas in ${this.#folder} were cut short; let nothing but gateways write there`,
    );
  }
}

import { randomBytes } from 'node:crypto';
import { type Admission, type Reading, StoreError } from '../store.ts';
import type { CounterChange } from './change.ts';
import { type CounterLine, formatLine, parseLine } from './line.ts';
import { type LogFolder, newestSnapshot } from './log-folder.ts';
import { type LogSegment, openSegment } from './log-segment.ts';
import { readSnapshot, SnapshotWriter } from './snapshot-file.ts';
import { CounterState } from './state.ts';

/** How long a segment becomes, at least, in bytes. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** How much of that, at least, for each account: about twice of what a snapshot has. */
const ACCOUNT_BYTES = 200;

/** A line that was appended, and its bytes. */
interface Own {
  line: CounterLine;
  bytes: Buffer;
}

/**
 * The counters of all accounts as a log that processes share. Each appends what it changes, and changes its own counters only by reading
 * on, in the order of the file: so all of them come to the same, without a lock. When a segment of the log has become long, a process ends
 * it; all go on in the next, and that one writes a snapshot of what they had by then, a little with each change, so that none takes long.
 * Where the file system fails, its error is thrown.
 */
export class CounterLog {
  readonly #folder: LogFolder;
  readonly #now: () => number;
  readonly #segmentBytes: number;
  /** What the names of this process's lines begin with. */
  readonly #name = randomBytes(6).toString('hex');
  #lines = 0;
  /** undefined where all is to be read anew. */
  #segment: LogSegment | undefined;
  #state = new CounterState();
  /** The segment that this process has ended last. */
  #ended = 0;
  /** Makes the snapshot of what was up to there. */
  #writer: SnapshotWriter | undefined;

  /**
   * @param folder is there; it is read when something is first changed or asked for
   * @param now ms since 1970
   * @param segmentBytes how long a segment becomes, at least
   */
  constructor(folder: LogFolder, now: () => number, segmentBytes = SEGMENT_BYTES) {
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
   * @returns what became of each
   */
  change(changes: readonly CounterChange[]): Admission[] {
    this.#writeSnapshot();
    this.#endLongSegment();
    for (;;) {
      const line = { at: this.#now(), changes };
      const bytes = this.#open().append(formatLine(line, `${this.#name}-${this.#lines++}`));
      // It is void where the segment had ended, and where it is glued to what another could not write whole.
      const admissions = this.#catchUp({ line, bytes });
      if (admissions !== undefined) return admissions;
    }
  }

  close(): void {
    this.#writer?.close();
    this.#writer = undefined;
    this.#go(undefined);
  }

  #writeSnapshot(): void {
    const writer = this.#writer;
    // Where it fails, it is left: another is made after the next segment.
    this.#writer = undefined;
    if (writer?.step()) this.#writer = writer;
  }

  #endLongSegment(): void {
    // Segments that are ended faster than snapshots are made would never be removed.
    if (this.#writer || !this.#isLong()) return;
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

  /**
   * Reads on to the end of the log.
   *
   * @param own what this process has just appended
   * @returns what became of that; undefined where it is void
   */
  #catchUp(own?: Own): Admission[] | undefined {
    const segment = this.#open();
    let isRead = false;
    let admissions: Admission[] | undefined;
    for (const bytes of segment.lines()) {
      isRead = true;
      if (own?.bytes.equals(bytes)) admissions = this.#apply(own.line);
      else this.#apply(parseLine(bytes));
    }
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

  /** The segment that is being read; where there is none, all is read anew from the newest snapshot. */
  #open(): LogSegment {
    while (this.#segment === undefined) {
      const number = newestSnapshot(this.#folder);
      this.#state = new CounterState();
      for (const bytes of readSnapshot(this.#folder, number)) this.#apply(parseLine(bytes));
      this.#go(openSegment(this.#folder, number));
    }
    return this.#segment;
  }

  /** Goes on to the segment after one that has ended. */
  #moveOn(next: number): void {
    this.#state.forgetUnused();
    this.#go(openSegment(this.#folder, next));
    if (this.#ended !== next - 1) return;
    this.#ended = 0;
    this.#writer = new SnapshotWriter(this.#folder, next, formatAll(this.#state.snapshot()), this.#name);
  }

  #go(segment: LogSegment | undefined): void {
    this.#segment?.close();
    this.#segment = segment;
  }

  #refuseCut(): never {
    this.#go(undefined);
    throw new StoreError(
      `the quotas in ${this.#folder.path} were cut short; let nothing but gateways write there`,
    );
  }
}

function* formatAll(lines: Iterable<CounterLine>): Generator<string> {
  for (const line of lines) yield formatLine(line, 'snapshot');
}

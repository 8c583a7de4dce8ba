/** How long entries are joined that repeat one that was written, in ms. */
const JOIN_MS = 60_000;
/** How many different entries are remembered; others are written each time. */
const MAX_KNOWN = 500;

/** An entry of the log without its time. */
interface Entry {
  level: 'info' | 'error';
  message: string;
  fields: Record<string, string | number | boolean | undefined>;
}

/**
 * Joins entries that repeat: the first is written at once; those that are the same in all members are counted, and written as one entry with
 * their number in `repeated` after a minute.
 */
class RepeatedEntries {
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

/** The fields of a log event besides its message. Never a key, never a whole email address. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** The fields of a response in the access log. */
export interface AccessFields {
  method: string;
  /** As the client sent it. */
  path: string;
  status: number;
  /** On the wire, head included. */
  bytes: number;
  /** How long the response took. */
  ms: number;
  /** The prefix of the key, if any. */
  key: string | undefined;
  /** As in the response's X-Request-Id. */
  requestId: string;
}

/** Where a log is written. */
export interface LogStream {
  write(text: string): unknown;
  on(event: 'error' | 'drain', listener: () => void): unknown;
  /** How many bytes wait to be written; absent if nothing ever waits. */
  readonly writableLength?: number;
}

/** The gateway's log. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes one line per response. */
  access(fields: AccessFields): void;
}

/** A log that is written to a stream. */
export interface WrittenLog extends Log {
  /** How many lines were dropped since the start, because the reader was too slow. */
  readonly dropped: number;
  /** Writes how often lines were repeated that are not written yet. */
  flush(): void;
}

/** Options of a log. */
export interface LogOptions {
  /** ms since 1970. */
  now: () => number;
  /** Whether responses are logged. */
  access: boolean;
  /** For how long lines that repeat are joined, in ms; a minute by default. */
  joinMs?: number;
}

interface AccessEntry {
  at: number;
  fields: AccessFields;
}

/** How many bytes may wait for a slow reader; further lines are dropped and counted. */
const MAX_QUEUED = 1024 * 1024;
/** The share of it that is reserved for lines that are not about responses. */
const RESERVED = MAX_QUEUED / 4;
/** A pipe accepts this many bytes as a unit (PIPE_BUF): the lines of several processes that share a pipe do not mix. */
const PORTION = 4096;

/**
 * Makes a log. The access lines of one event-loop tick are written together: writing each alone would cost more than
 * many responses. The room's README says why it is not pino, and what happens when its reader is slow.
 */
export function createLog(stream: LogStream, { now, access, joinMs }: LogOptions): WrittenLog {
  const line = (level: 'info' | 'error', message: string, fields: LogFields) =>
    redactKeys(`${JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields })}\n`);
  const queue = new LogQueue(stream, (lines) => line('error', 'log lines were dropped', { lines }));
  const writeSoon = batchPerTick<AccessEntry>((responses) => {
    if (queue.hasRoomFor(responses.length)) queue.writeAll(portionsOf(responses));
  });
  const entries = new RepeatedEntries(
    ({ level, message, fields }) => queue.write(line(level, message, fields)),
    joinMs,
  );
  return {
    flush: () => entries.flush(),
    get dropped() {
      return queue.dropped;
    },
    info: (message, fields = {}) => entries.add({ level: 'info', message, fields }),
    error: (message, fields = {}) => entries.add({ level: 'error', message, fields }),
    access(fields) {
      if (access) writeSoon({ at: now(), fields });
    },
  };
}

function portionsOf(entries: readonly AccessEntry[]): string[] {
  const portions: string[] = [];
  let portion = '';
  // Most responses of a tick have the same time and path.
  let moment = { at: Number.NaN, time: '' };
  let last = { path: '', text: '""' };
  for (const { at, fields } of entries) {
    if (at !== moment.at) moment = { at, time: new Date(at).toISOString() };
    const { path } = fields;
    if (path !== last.path) last = { path, text: JSON.stringify(redactPath(path)) };
    const line = describeAccess(moment.time, last.text, fields);
    if (portion.length + line.length > PORTION && portion !== '') {
      portions.push(portion);
      portion = '';
    }
    portion += line;
  }
  portions.push(portion);
  return portions;
}

/**
 * Writes a line with the fields in order. JSON.stringify of a whole object costs several times as much.
 *
 * @param path as JSON, with keys shortened to their prefixes
 */
function describeAccess(
  time: string,
  path: string,
  { method, status, bytes, ms, key, requestId }: AccessFields,
): string {
  const requestFields = `"method":"${method}","path":${path}`;
  const resultFields = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 10) / 10}`;
  const keyField = key === undefined ? '' : `,"key":"${key}"`;
  return `{"time":"${time}","level":"info","message":"response",${requestFields},${resultFields},"request_id":"${requestId}"${keyField}}\n`;
}

/** Matches the prefix of a key or token and what follows it, also in mistyped and partial ones. */
const KEY_IN_TEXT = /(gd[rft]_[a-z2-7]{8})[a-z2-7]+/gi;

/** Shortens every key and token in a text to its prefix, so that the text may be logged or printed. */
export function redactKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, '$1…');
}

/** How often a path may have been percent-encoded and is still searched for keys. */
const MAX_ROUNDS = 8;

/** Returns the path of a request as it may be logged: keys and tokens are shortened, also if they are percent-encoded. */
export function redactPath(path: string): string {
  if (!path.includes('%')) return redactKeys(path);
  let decoded = path;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const redacted = redactKeys(decoded);
    if (redacted !== decoded) return redacted;
    const next = decodeLetters(decoded);
    if (next === decoded) return path;
    decoded = next;
  }
  return '(percent-encoded too often)';
}

/** Decodes ASCII characters only: keys have no others, and the rest may not be UTF-8. */
function decodeLetters(text: string): string {
  return text.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Writes lines to a stream, and drops and counts them while its reader is too slow. */
class LogQueue {
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

/**
 * Collects the items of one event-loop tick and processes them together at its end: between system calls, the same work takes the
 * processor two to three times as long.
 *
 * @param work receives all items of a tick, in order
 * @param max the size of a batch that is processed at once, without waiting for the end of the tick
 * @returns a function that adds an item
 */
export function batchPerTick<T>(
  work: (batch: T[]) => void,
  max = Number.POSITIVE_INFINITY,
): (item: T) => void {
  let batch: T[] = [];
  const processBatch = () => {
    if (batch.length === 0) return;
    const all = batch;
    batch = [];
    work(all);
  };
  return (item) => {
    if (batch.length === 0) setImmediate(processBatch);
    batch.push(item);
    if (batch.length >= max) processBatch();
  };
}

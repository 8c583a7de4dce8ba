/** How long entries are joined that repeat one that was written, in ms. */
const JOIN_MS = 60_000;
/** How many different entries are remembered; others are written each time. */
const MAX_KNOWN = 500;

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

/** An entry of the log without its time. */
interface Entry {
  level: 'info' | 'error';
  message: string;
  fields: LogFields;
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

/** Makes a log. It is not pino, which writes each access line alone: that would cost more than many responses. */
export function createLog(stream: LogStream, options: LogOptions): WrittenLog {
  return new StreamLog(stream, options);
}

/**
 * Writes lines to a stream. The access lines of one event-loop tick are written together. Other entries that repeat are joined: the first is
 * written at once; those that are the same in all members are counted, and written as one entry with their number in `repeated` after a
 * minute. Lines are dropped and counted while the reader is too slow.
 */
class StreamLog implements WrittenLog {
  readonly #stream: LogStream;
  readonly #options: LogOptions;
  /** What was written in this minute, and how often it came again. */
  readonly #entries = new Map<string, Entry & { repeated: number }>();
  readonly #writeSoon = batchPerTick<AccessEntry>((responses) => {
    if (this.#queued >= MAX_QUEUED - RESERVED) this.#dropped += responses.length;
    else for (const portion of portionsOf(responses)) this.#send(portion);
  });
  #timer: NodeJS.Timeout | undefined;
  /** Lines that were dropped since the last report of them. */
  #dropped = 0;

  constructor(stream: LogStream, options: LogOptions) {
    this.#stream = stream;
    this.#options = options;
    // The gateway keeps running when its log has no reader any more.
    stream.on('error', () => {});
    stream.on('drain', () => this.#reportDropped());
  }

  readonly info = (message: string, fields: LogFields = {}) => this.#add({ level: 'info', message, fields });
  readonly error = (message: string, fields: LogFields = {}) =>
    this.#add({ level: 'error', message, fields });
  readonly access = (fields: AccessFields) => {
    if (this.#options.access) this.#writeSoon({ at: this.#options.now(), fields });
  };

  /** Writes what was counted. An entry that did not repeat is written at once the next time. */
  readonly flush = () => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [key, repetition] of this.#entries) {
      const { level, message, fields, repeated } = repetition;
      if (repeated > 0) this.#write({ level, message, fields: { ...fields, repeated } });
      else this.#entries.delete(key);
      repetition.repeated = 0;
    }
    if (this.#entries.size > 0) this.#flushLater();
  };

  #add(entry: Entry): void {
    const key = JSON.stringify(entry);
    const repetition = this.#entries.get(key);
    if (repetition) {
      repetition.repeated++;
      return;
    }
    this.#write(entry);
    if (this.#entries.size >= MAX_KNOWN) return;
    this.#entries.set(key, { ...entry, repeated: 0 });
    this.#flushLater();
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(this.flush, this.#options.joinMs ?? JOIN_MS).unref();
  }

  #write(entry: Entry): void {
    if (this.#queued >= MAX_QUEUED) this.#dropped += 1;
    else this.#send(this.#lineOf(entry));
  }

  #lineOf({ level, message, fields }: Entry): string {
    const time = new Date(this.#options.now()).toISOString();
    return redactKeys(`${JSON.stringify({ time, level, message, ...fields })}\n`);
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
    const fields = { lines: this.#dropped };
    this.#dropped = 0;
    this.#stream.write(this.#lineOf({ level: 'error', message: 'log lines were dropped', fields }));
  }
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

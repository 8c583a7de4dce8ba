/** The members of a log entry besides its message. Never a key, never a complete email address. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** The fields of a response in the access log. */
export interface AccessFields {
  method: string;
  /** As the client sent it. */
  path: string;
  status: number;
  /** On the wire, head included. */
  bytes: number;
  /** The duration. */
  ms: number;
  /** The prefix of the key, if any. */
  key: string | undefined;
  /** As in the response's X-Request-Id. */
  requestId: string;
}

export interface LogStream {
  write(text: string): unknown;
  on(event: 'error' | 'drain', listener: () => void): unknown;
  /** How many bytes wait to be written; absent if none ever do. */
  readonly writableLength?: number;
}

export interface Log {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes one line per response. */
  access(fields: AccessFields): void;
}

export interface LogOptions {
  /** ms since 1970. */
  now: () => number;
  /** Whether responses are logged. */
  access: boolean;
}

interface AccessEntry {
  at: number;
  fields: AccessFields;
}

/** How many bytes may wait for a slow reader; further lines are dropped and counted. */
const MAX_QUEUED = 1024 * 1024;
/** The part of it that is reserved for lines that are not access lines. */
const RESERVED = MAX_QUEUED / 4;
/** A pipe writes up to this many bytes atomically (PIPE_BUF), so the lines of several processes that share it do not mix. */
const PORTION = 4096;

/** Makes a log. It is not pino, which writes each access line alone: that would cost more than many responses. */
export function createLog(stream: LogStream, options: LogOptions): Log {
  return new StreamLog(stream, options);
}

/** Writes lines to a stream. The access lines of one event-loop tick are written together. Lines are dropped and counted while the reader is too slow. */
class StreamLog implements Log {
  readonly #stream: LogStream;
  readonly #options: LogOptions;
  readonly #writeSoon = batchPerTick<AccessEntry>((responses) => {
    if (this.#queued >= MAX_QUEUED - RESERVED) this.#dropped += responses.length;
    else for (const portion of portionsOf(responses)) this.#send(portion);
  });
  /** Lines that were dropped since the last line that reported it. */
  #dropped = 0;

  constructor(stream: LogStream, options: LogOptions) {
    this.#stream = stream;
    this.#options = options;
    // The gateway keeps running when nothing reads its log any more.
    stream.on('error', () => {});
    stream.on('drain', () => this.#reportDropped());
  }

  readonly info = (message: string, fields?: LogFields) => this.#add('info', message, fields);
  readonly error = (message: string, fields?: LogFields) => this.#add('error', message, fields);
  readonly access = (fields: AccessFields) => {
    if (this.#options.access) this.#writeSoon({ at: this.#options.now(), fields });
  };

  #add(level: 'info' | 'error', message: string, fields: LogFields = {}): void {
    if (this.#queued >= MAX_QUEUED) this.#dropped += 1;
    else this.#send(this.#lineOf(level, message, fields));
  }

  #lineOf(level: 'info' | 'error', message: string, fields: LogFields): string {
    const time = new Date(this.#options.now()).toISOString();
    return redactKeys(`${JSON.stringify({ time, level, message, ...fields })}\n`);
  }

  get #queued(): number {
    return this.#stream.writableLength ?? 0;
  }

  #send(text: string): void {
    if (this.#queued < RESERVED) this.#reportDropped();
    this.#stream.write(text);
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    const fields = { lines: this.#dropped };
    this.#dropped = 0;
    this.#stream.write(this.#lineOf('error', 'log lines were dropped', fields));
  }
}

function portionsOf(entries: readonly AccessEntry[]): string[] {
  const portions: string[] = [];
  let portion = '';
  // Most responses of a tick have the same time.
  let moment = { at: Number.NaN, time: '' };
  for (const { at, fields } of entries) {
    if (at !== moment.at) moment = { at, time: new Date(at).toISOString() };
    const line = describeAccess(moment.time, fields);
    if (portion.length + line.length > PORTION && portion !== '') {
      portions.push(portion);
      portion = '';
    }
    portion += line;
  }
  return [...portions, portion];
}

/** Writes an access line. JSON.stringify of a whole object would cost several times as much. */
function describeAccess(
  time: string,
  { method, path, status, bytes, ms, key, requestId }: AccessFields,
): string {
  const requestFields = `"method":"${method}","path":${JSON.stringify(redactPath(path))}`;
  const resultFields = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 10) / 10}`;
  const keyField = key === undefined ? '' : `,"key":"${key}"`;
  return `{"time":"${time}","level":"info","message":"response",${requestFields},${resultFields},"request_id":"${requestId}"${keyField}}\n`;
}

/** Matches the prefix of a key or token and the rest of it, even if mistyped or incomplete. */
const KEY_IN_TEXT = /(gd[rft]_[a-z2-7]{8})[a-z2-7]+/gi;

/** Shortens every key and token in a text to its prefix, so that the text may be logged or printed. */
export function redactKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, '$1…');
}

/** How many levels of percent-encoding of a path are searched for keys. */
const MAX_ROUNDS = 8;

/** Shortens the keys and tokens in a request's path, even if they are percent-encoded. */
function redactPath(path: string): string {
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
 * Collects the items of one event-loop tick and processes them together at its end: between system calls, the same work takes two to three times as
 * much processor time.
 *
 * @param work receives the items in order
 * @param max a batch of this size is processed at once, before the end of the tick
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

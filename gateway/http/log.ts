import { LRUCache } from 'lru-cache';

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

/** How many bytes may wait for a slow reader; further lines are dropped and counted. */
const MAX_QUEUED = 1024 * 1024;
/** The part of it that is reserved for lines that are not access lines. */
const RESERVED = MAX_QUEUED / 4;
/** A pipe writes up to this many bytes atomically (PIPE_BUF), so the lines of several processes that share it do not mix. */
const PORTION = 4096;

/**
 * Makes a log: lines of JSON on a stream. It is not pino, which writes each access line alone: that would cost more than many responses. Here those
 * of one event-loop tick are written together.
 *
 * @param now ms since 1970
 * @param access whether responses are logged
 */
export function createLog(stream: LogStream, { now, access }: { now: () => number; access: boolean }): Log {
  /** Lines that were dropped since the last line that reported it. */
  let dropped = 0;
  const queued = () => stream.writableLength ?? 0;
  const writeLine = (level: 'info' | 'error', message: string, fields: LogFields = {}) => {
    const time = new Date(now()).toISOString();
    if (queued() >= MAX_QUEUED) dropped += 1;
    else stream.write(redactKeys(`${JSON.stringify({ time, level, message, ...fields })}\n`));
  };
  const writeAccess = batchPerTick<AccessFields>((responses) => {
    if (queued() >= MAX_QUEUED - RESERVED) {
      dropped += responses.length;
      return;
    }
    const time = new Date(now()).toISOString();
    let portion = '';
    for (const response of responses) {
      const line = describeAccess(time, response);
      if (portion !== '' && portion.length + line.length > PORTION) {
        stream.write(portion);
        portion = '';
      }
      portion += line;
    }
    stream.write(portion);
  });
  // The gateway keeps running when nothing reads its log any more.
  stream.on('error', () => {});
  stream.on('drain', () => {
    if (dropped > 0) writeLine('error', 'log lines were dropped', { lines: dropped });
    dropped = 0;
  });
  return {
    info: (message, fields) => writeLine('info', message, fields),
    error: (message, fields) => writeLine('error', message, fields),
    access: (fields) => {
      if (access) writeAccess(fields);
    },
  };
}

/** Paths as JSON without keys: most requests are for few paths. */
const describedPaths = new LRUCache<string, string>({
  max: 200,
  memoMethod: (path) => JSON.stringify(redactPath(path)),
});

/** Writes an access line. JSON.stringify of a whole object would cost several times as much. */
function describeAccess(
  time: string,
  { method, path, status, bytes, ms, key, requestId }: AccessFields,
): string {
  const requestFields = `"method":"${method}","path":${describedPaths.memo(path)}`;
  const resultFields = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 10) / 10}`;
  const keyField = key === undefined ? '' : `,"key":"${key}"`;
  return `{"time":"${time}","level":"info","message":"response",${requestFields},${resultFields},"request_id":"${requestId}"${keyField}}\n`;
}

/** Matches the prefix of a key or token and the rest of it, even if mistyped or incomplete. */
const KEY_IN_TEXT = /(gd[rftls]_[a-z2-7]{8})[a-z2-7]+/gi;

/** Shortens every key and token in a text to its prefix, so that the text may be logged or printed. */
export function redactKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, '$1…');
}

/** How many levels of percent-encoding of a path are searched for keys. */
const MAX_ROUNDS = 8;

/** Shortens the keys and tokens in a request's path, or in a text from it, even if they are percent-encoded. */
export function redactPath(path: string): string {
  let decoded = path;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const redacted = redactKeys(decoded);
    if (redacted !== decoded) return redacted;
    if (!decoded.includes('%')) return path;
    // ASCII characters only: keys have no others, and the rest may not be UTF-8.
    const next = decoded.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    if (next === decoded) return path;
    decoded = next;
  }
  return '(percent-encoded too often)';
}

/**
 * Collects the items of one event-loop tick and processes them together at its end: between system calls, the same work takes two to three times as
 * much processor time.
 *
 * @param work receives the items in order
 * @param max a batch of this size is processed at once, before the end of the tick
 * @param schedule calls the work later
 * @returns a function that adds an item
 */
export function batchPerTick<T>(
  work: (batch: T[]) => void,
  max = Number.POSITIVE_INFINITY,
  schedule: (work: () => void) => unknown = setImmediate,
): (item: T) => void {
  let batch: T[] = [];
  const processBatch = () => {
    const all = batch;
    batch = [];
    if (all.length > 0) work(all);
  };
  return (item) => {
    if (batch.length === 0) schedule(processBatch);
    batch.push(item);
    if (batch.length >= max) processBatch();
  };
}

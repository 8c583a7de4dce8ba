/** What of an event is told beside its message. Never a key, never a whole e-mail address. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** What is told of an answer. */
export interface AnswerFields {
  method: string;
  /** Without a key in it. */
  path: string;
  status: number;
  /** On the wire, its head included. */
  bytes: number;
  /** How long it took. */
  ms: number;
  /** The prefix of the key that it was for, where there was one. */
  key: string | undefined;
}

/** Where the gateway tells what happens. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** One line an answer. */
  access(fields: AnswerFields): void;
}

/** What a pipe takes whole (PIPE_BUF): the lines of several processes that write to one do not mix. */
const PORTION = 4096;

/**
 * A log of JSON lines. Access lines of one turn of the event loop are written together: a system call a request would cost more
 * than many a request itself.
 *
 * @param options.access whether answers are logged at all
 */
export function createLog(
  stream: { write(text: string): unknown; on(event: 'error', listener: () => void): unknown },
  { now, access }: { now: () => number; access: boolean },
): Log {
  let waiting: string[] = [];
  const flush = () => {
    const portions = waiting;
    waiting = [];
    for (const portion of portions) stream.write(portion);
  };
  // A log that nobody reads any more is no reason to stop serving.
  stream.on('error', () => {});
  let last = { at: Number.NaN, time: '' };
  const head = (level: string, message: string) => {
    const at = now();
    if (at !== last.at) last = { at, time: new Date(at).toISOString() };
    return `{"time":"${last.time}","level":"${level}","message":${JSON.stringify(message)}`;
  };
  const line = (level: string, message: string, fields: LogFields) => {
    const rest = JSON.stringify(fields);
    return rest === '{}' ? `${head(level, message)}}\n` : `${head(level, message)},${rest.slice(1)}\n`;
  };
  // As `line` would write it: JSON.stringify of a whole object costs several times as much.
  const answerLine = ({ method, path, status, bytes, ms, key }: AnswerFields) => {
    const times = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 10) / 10}`;
    const of = key === undefined ? '' : `,"key":"${key}"`;
    return `${head('info', 'answer')},"method":"${method}","path":${JSON.stringify(path)},${times}${of}}\n`;
  };
  return {
    info: (message, fields = {}) => void stream.write(line('info', message, fields)),
    error: (message, fields = {}) => void stream.write(line('error', message, fields)),
    access(fields) {
      if (!access) return;
      if (waiting.length === 0) setImmediate(flush);
      const text = answerLine(fields);
      const portion = waiting.at(-1);
      if (portion !== undefined && portion.length + text.length <= PORTION)
        waiting[waiting.length - 1] += text;
      else waiting.push(text);
    },
  };
}

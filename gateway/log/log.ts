import { redactKeys } from '../keys/api-key.ts';
import { batchPerTick } from '../lib/batch-per-tick.ts';

/** What of an event is told beside its message. Never a key, never a whole e-mail address. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** What is told of an answer. */
export interface AccessFields {
  method: string;
  /** As it was sent. */
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
  access(fields: AccessFields): void;
}

/** What a pipe takes whole (PIPE_BUF): the lines of several processes that write to one do not mix. */
const PORTION = 4096;

/**
 * A log of JSON lines. Access lines of one turn of the event loop are put together and written at its end: to do it for each answer would
 * cost more than many an answer itself. The README beside this file says why it is not pino.
 *
 * @param options.access whether answers are logged at all
 */
export function createLog(
  stream: { write(text: string): unknown; on(event: 'error', listener: () => void): unknown },
  { now, access }: { now: () => number; access: boolean },
): Log {
  const line = (level: string, message: string, fields: LogFields) => {
    const time = new Date(now()).toISOString();
    return `${JSON.stringify({ time, level, message, ...fields })}\n`;
  };
  const writeSoon = batchPerTick<{ at: number; fields: AccessFields }>((answers) => {
    for (const portion of portionsOf(answers)) stream.write(portion);
  });
  // A log that nobody reads any more is no reason to stop serving.
  stream.on('error', () => {});
  return {
    info: (message, fields = {}) => void stream.write(line('info', message, fields)),
    error: (message, fields = {}) => void stream.write(line('error', message, fields)),
    access(fields) {
      if (access) writeSoon({ at: now(), fields });
    },
  };
}

function portionsOf(answers: readonly { at: number; fields: AccessFields }[]): string[] {
  const portions: string[] = [];
  let portion = '';
  // Most answers of a turn are of one moment, and to one path.
  let moment = { at: Number.NaN, time: '' };
  let told = { path: '', text: '""' };
  for (const { at, fields } of answers) {
    if (at !== moment.at) moment = { at, time: new Date(at).toISOString() };
    const { path } = fields;
    if (path !== told.path) told = { path, text: JSON.stringify(redactKeys(path)) };
    const line = describeAccess(moment.time, told.text, fields);
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
 * A line with the fields in order. JSON.stringify of a whole object costs several times as much.
 *
 * @param path as JSON, of a key in it the prefix
 */
function describeAccess(
  time: string,
  path: string,
  { method, status, bytes, ms, key }: AccessFields,
): string {
  const what = `"method":"${method}","path":${path}`;
  const how = `"status":${status},"bytes":${bytes},"ms":${Math.round(ms * 10) / 10}`;
  const whose = key === undefined ? '' : `,"key":"${key}"`;
  return `{"time":"${time}","level":"info","message":"answer",${what},${how}${whose}}\n`;
}

import { redactKeys } from '../keys/api-key.ts';
import { batchPerTick } from '../lib/batch-per-tick.ts';

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
}

/** The gateway's log. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes one line per response. */
  access(fields: AccessFields): void;
}

/** A pipe accepts this many bytes as a unit (PIPE_BUF): the lines of several processes that share a pipe do not mix. */
const PORTION = 4096;

/**
 * Makes a log of JSON lines. The access lines of one event-loop tick are written together: writing each would cost more than many a
 * response. The room's README says why it is not pino.
 *
 * @param options.access whether responses are logged
 */
export function createLog(
  stream: { write(text: string): unknown; on(event: 'error', listener: () => void): unknown },
  { now, access }: { now: () => number; access: boolean },
): Log {
  const line = (level: string, message: string, fields: LogFields) => {
    const time = new Date(now()).toISOString();
    return `${JSON.stringify({ time, level, message, ...fields })}\n`;
  };
  const writeSoon = batchPerTick<{ at: number; fields: AccessFields }>((entries) => {
    for (const portion of portionsOf(entries)) stream.write(portion);
  });
  // The gateway goes on when nobody reads its log any more.
  stream.on('error', () => {});
  return {
    info: (message, fields = {}) => void stream.write(line('info', message, fields)),
    error: (message, fields = {}) => void stream.write(line('error', message, fields)),
    access(fields) {
      if (access) writeSoon({ at: now(), fields });
    },
  };
}

function portionsOf(entries: readonly { at: number; fields: AccessFields }[]): string[] {
  const portions: string[] = [];
  let portion = '';
  // Most responses of a tick have the same time and path.
  let moment = { at: Number.NaN, time: '' };
  let told = { path: '', text: '""' };
  for (const { at, fields } of entries) {
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
 * Writes a line with the fields in order. JSON.stringify of a whole object costs several times as much.
 *
 * @param path as JSON, with keys shortened to their prefixes
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

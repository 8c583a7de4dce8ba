import { setImmediate as nextTick } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/access/api-key.ts';
import { type AccessFields, createLog } from '../../../gateway/http/log.ts';
import { fc } from '../../support/random.ts';

const NOW = Date.parse('2026-03-01T12:00:00.123Z');
const RESPONSE: AccessFields = {
  method: 'GET',
  path: '/api/saga/characters',
  status: 200,
  bytes: 1234,
  ms: 1.26,
  key: undefined,
  requestId: 'aB3-1',
};

/** A log, and what it has written: one element per write. */
function openLog() {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), on: () => {} };
  return { log: createLog(stream, { now: () => NOW, access: true }), written };
}

function parse(line: string | undefined): object {
  assert.match(line ?? '', /^[^\n]+\n$/);
  return JSON.parse(line as string) as object;
}

const test = suite('log');

test('an event is a line of JSON, written at once', () => {
  const { log, written } = openLog();
  log.info('listening', { address: 'http://127.0.0.1:3000', webhooks: undefined });
  log.error('the store\n"failed"', { attempt: 2, isLast: true });
  assert.equal(written, [
    '{"time":"2026-03-01T12:00:00.123Z","level":"info","message":"listening","address":"http://127.0.0.1:3000"}\n',
    '{"time":"2026-03-01T12:00:00.123Z","level":"error","message":"the store\\n\\"failed\\"","attempt":2,"isLast":true}\n',
  ]);
});

test('a response is a line of JSON, whatever its path', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (path) => {
      const { log, written } = openLog();
      log.access({ ...RESPONSE, path, key: 'gdr_abcdefgh' });
      await nextTick();
      const { requestId: request_id, ...fields } = RESPONSE;
      assert.equal(parse(written[0]), {
        time: '2026-03-01T12:00:00.123Z',
        level: 'info',
        message: 'response',
        ...fields,
        path,
        ms: 1.3,
        key: 'gdr_abcdefgh',
        request_id,
      });
    }),
  );
});

test('only the prefix of a key in a path is written, also when it is percent-encoded', async () => {
  const { log, written } = openLog();
  const { key, prefix } = createKey((size) => new Uint8Array(size).fill(7));
  const encode = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const paths = [
    `/api/${key}/x`,
    `/api/${key.replace('_', '%5F')}/x`,
    `/api/${encode(key)}/%zz/%ff`,
    `/api/${encode(encode(encode(key)))}`,
    `/feeds/${key.replace('gdr_', 'gd%66%5f')}`,
  ];
  for (const path of paths) log.access({ ...RESPONSE, path });
  log.error('a key in an error', { error: `no ${key} here` });
  await nextTick();
  const text = written.join('');
  assert.not.ok(text.includes(key.slice(prefix.length)));
  assert.not.ok(decodeFully(text).includes(key.slice(prefix.length)));
  assert.is(text.split('…').length - 1, paths.length + 1);
});

function decodeFully(text: string): string {
  const decoded = text.replace(/%([2-7][0-9a-f])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return decoded === text ? text : decodeFully(decoded);
}

/** A log whose reader has stalled, and what is written to it. */
function openStalled() {
  const written: string[] = [];
  const listeners = new Map<string, () => void>();
  const stream = {
    writableLength: 0,
    write(text: string) {
      written.push(text);
      stream.writableLength += text.length;
    },
    on: (event: string, listener: () => void) => listeners.set(event, listener),
  };
  const resume = () => {
    written.length = 0;
    stream.writableLength = 0;
    listeners.get('drain')?.();
  };
  return { log: createLog(stream, { now: () => NOW, access: true }), stream, written, resume };
}

test('lines beyond a limit are dropped while the reader is stalled, and their number is logged', async () => {
  const { log, stream, written, resume } = openStalled();
  const LINES = 100_000;
  for (let line = 0; line < LINES; line++) {
    log.access(RESPONSE);
    if (line % 1000 === 0) await nextTick();
  }
  await nextTick();
  assert.ok(stream.writableLength < 1_100_000, `${stream.writableLength} bytes wait`);
  const kept = written.join('').split('\n').length - 1;
  // Errors still have room.
  log.error('the store does not respond');
  assert.match(written.at(-1) ?? '', 'the store does not respond');
  for (let line = 0; line < LINES; line++) log.error('again', { line });
  assert.ok(stream.writableLength < 1_100_000, `${stream.writableLength} bytes wait`);
  const errors = written.join('').split('\n').length - 2 - kept;
  resume();
  const { level, message, lines } = JSON.parse(written[0] ?? '') as Record<string, unknown>;
  assert.equal([level, message, lines], ['error', 'log lines were dropped', 2 * LINES - kept - errors]);
  log.info('listening');
  assert.is(written.length, 2);
});

test.run();

import { setImmediate as nextTick } from 'node:timers/promises';
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKey } from '../../../gateway/keys/api-key.ts';
import { type AccessFields, createLog, type Log } from '../../../gateway/log/log.ts';
import { fc } from '../../support/random.ts';

const NOW = Date.parse('2026-03-01T12:00:00.123Z');
const RESPONSE: AccessFields = {
  method: 'GET',
  path: '/api/saga/characters',
  status: 200,
  bytes: 1234,
  ms: 1.26,
  key: undefined,
};

/** A log, and what it has written: one element per write. */
function openLog(options: { now?: () => number; access?: boolean } = {}): { log: Log; written: string[] } {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), on: () => {} };
  return { log: createLog(stream, { now: () => NOW, access: true, ...options }), written };
}

/** A pino logger that uses the log's member names, and the lines that it has written. */
function openPino(): { log: pino.Logger; written: string[] } {
  const written: string[] = [];
  const options: pino.LoggerOptions = {
    base: null,
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date(NOW).toISOString()}"`,
    formatters: { level: (level) => ({ level }) },
  };
  return { log: pino(options, { write: (text) => void written.push(text) }), written };
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

test('responses of a tick are logged together at its end, in order, each with its own time', async () => {
  let now = NOW;
  const { log, written } = openLog({ now: () => now });
  log.access(RESPONSE);
  now += 5;
  log.access({ ...RESPONSE, path: '/readyz', status: 503, key: 'gdr_abcdefgh' });
  assert.equal(written, []);
  await nextTick();
  assert.equal(written, [
    '{"time":"2026-03-01T12:00:00.123Z","level":"info","message":"answer","method":"GET","path":"/api/saga/characters","status":200,"bytes":1234,"ms":1.3}\n' +
      '{"time":"2026-03-01T12:00:00.128Z","level":"info","message":"answer","method":"GET","path":"/readyz","status":503,"bytes":1234,"ms":1.3,"key":"gdr_abcdefgh"}\n',
  ]);
});

test('lines have the members and values that pino gives them, whatever the path', async () => {
  const responses = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST'),
    path: fc.string({ unit: 'binary' }),
    status: fc.integer({ min: 100, max: 599 }),
    bytes: fc.nat(),
    ms: fc.integer({ min: 0, max: 10_000 }).map((tenths) => tenths / 10),
    key: fc.constantFrom(undefined, 'gdr_abcdefgh'),
  });
  await fc.assert(
    fc.asyncProperty(responses, async (fields) => {
      const [ours, beside] = [openLog(), openPino()];
      ours.log.access(fields);
      await nextTick();
      beside.log.info(fields, 'answer');
      assert.equal(parse(ours.written[0]), parse(beside.written[0]));
    }),
  );
});

test('only the prefix of a key in a path is written', async () => {
  const { log, written } = openLog();
  const { key, prefix } = createKey((size) => new Uint8Array(size).fill(7));
  for (const path of [`/api?key=${key}`, `/api?key=${key}`, '/api']) log.access({ ...RESPONSE, path });
  await nextTick();
  const text = written.join('');
  assert.not.ok(text.includes(key.slice(prefix.length)));
  assert.is(text.split(`${prefix}…`).length, 3);
});

test('no write is longer than a pipe writes at once, and none splits a line', async () => {
  const { log, written } = openLog();
  for (let response = 0; response < 100; response++) log.access({ ...RESPONSE, bytes: response });
  log.access({ ...RESPONSE, path: `/${'x'.repeat(5000)}` });
  await nextTick();
  assert.ok(written.slice(0, -1).every((portion) => portion.length <= 4096 && portion.endsWith('}\n')));
  const lines = written.join('').trimEnd().split('\n');
  assert.equal(
    lines.slice(0, -1).map((line) => (JSON.parse(line) as { bytes: number }).bytes),
    Array.from({ length: 100 }, (_, response) => response),
  );
  assert.ok(written.length < 10);
});

test('a longer line is written on its own', async () => {
  const { log, written } = openLog();
  for (const length of [5000, 10, 6000]) log.access({ ...RESPONSE, path: `/${'x'.repeat(length)}` });
  await nextTick();
  assert.equal(
    written.map((portion) => (JSON.parse(portion) as AccessFields).path.length),
    [5001, 11, 6001],
  );
});

test('without an access log, events are written, but not responses', async () => {
  const { log, written } = openLog({ access: false });
  log.access(RESPONSE);
  log.info('listening');
  await nextTick();
  assert.is(written.length, 1);
});

test('a closed output does not stop the gateway', () => {
  const listeners: (() => void)[] = [];
  createLog(
    { write: () => {}, on: (event, listener) => event === 'error' && listeners.push(listener) },
    { now: () => NOW, access: true },
  );
  assert.is(listeners.length, 1);
  listeners[0]?.();
});

test.run();

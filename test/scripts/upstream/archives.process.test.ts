import { cp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { day, gear, NAMES, see, units, withWorld } from './pull-world.ts';
import { listen } from '../../support/listen.ts';

const test = suite('archives of upstream, and their servers');

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The files of an archive. @param links the paths of files that are links instead */
function packOf(files: Record<string, string>, links: readonly string[] = []): Buffer {
  const blocks = Object.entries(files).flatMap(([file, text]) => {
    const link = links.includes(file) ? ({ type: 'SymbolicLink', linkpath: '/etc/passwd' } as const) : {};
    const header = new Header({ path: file, size: text.length, type: 'File', mode: 0o644, ...link });
    const block = Buffer.alloc(512);
    header.encode(block);
    return [block, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

const dump = (build: string, plus: number, more: Record<string, string> = {}) => ({
  // As `tar -C dump .` writes it.
  './d/version.json': JSON.stringify({ build, at: day(plus + 1) }),
  'd/units.json': JSON.stringify(units(NAMES, plus)),
  'd/gear.json': JSON.stringify(gear()),
  ...more,
});
const send =
  (bytes: Buffer, headers = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, headers).end(bytes);
const status =
  (code: number): Answer =>
  (_request, response) =>
    response.writeHead(code).end();
const dated = (build: string, plus: number, on: number) =>
  send(packOf(dump(build, plus)), { 'Last-Modified': new Date(day(on)).toUTCString() });

interface Trouble {
  /** What the server does instead of sending build 1.1. */
  answer: (good: Buffer) => Answer;
  /** The exit code and what is told once, with its remedy. */
  code?: number;
  says?: RegExp;
  served?: string[];
  /** What is served when the server sends 1.2; by default the same and 1.2. */
  after?: string[];
  /** The build is named by the date of the server. */
  isDated?: true;
  /** Another game has the same archive. */
  twice?: true;
  /** The server takes longer than a fetch may. */
  isSlow?: true;
}

const failing = (says: RegExp, answer: Trouble['answer']): Trouble => ({ answer, says, code: 1 });

const TROUBLES: Record<string, Trouble> = {
  'an archive that is replaced in place': {
    answer: () => send(packOf(dump('1.0', 0, { 'd/units.json': JSON.stringify(units(NAMES, 7)) }))),
    code: 1,
    says: /1\.0, which is served, is not what upstream has now.*--take 1\.0.*--skip 1\.0/s,
  },
  'a connection that ends too early': failing(
    /cannot be fetched: aborted/,
    (good) => (_request, response) => {
      response.writeHead(200, { 'Content-Length': good.length });
      response.write(good.subarray(0, 100), () => response.destroy());
    },
  ),
  'an archive that breaks off': failing(/cannot be unpacked.*expected tar\.gz/, (good) =>
    send(good.subarray(0, good.length >> 1)),
  ),
  'a page of HTML': failing(/cannot be unpacked.*expected tar\.gz/, () => send(Buffer.from('<html>'))),
  'an archive that unpacks to far more': failing(/when it is unpacked.*"limits" of "source"/, () =>
    send(packOf(dump('1.1', 1, { 'd/gear.json': ' '.repeat(3_000_000) }))),
  ),
  'a link in an archive': failing(/1\.1 is held back: table-files.*d\/units\.json/s, () =>
    send(packOf(dump('1.1', 1, { 'd/units.json': '' }), ['d/units.json'])),
  ),
  'paths that lead out of an archive': {
    answer: () => send(packOf(dump('1.1', 1, { '../../escaped': 'x', '/tmp/escaped': 'x' }))),
    served: ['1.0', '1.1'],
  },
  'another folder in an archive': failing(/no file names a build: check "build"/, () =>
    send(packOf({ 'd-1.1/units.json': '{}' })),
  ),
  'status 404': failing(/status 404; check the address/, () => status(404)),
  'status 401': failing(/status 401; it is private now, or gone/, () => status(401)),
  'status 429': failing(/status 429; the host asks to wait/, () => status(429)),
  'status 302': failing(/status 302; it moved/, () => status(302)),
  'status 206': failing(/status 206/, () => status(206)),
  'a server that sends a byte at a time': {
    answer: (good) => (_request, response) => {
      let at = 0;
      const timer = setInterval(() => response.write(good.subarray(at, ++at)), 50);
      response.writeHead(200).on('close', () => clearInterval(timer));
    },
    says: /took longer than 2 s/,
    code: 1,
    isSlow: true,
  },
  'a server that says that nothing changed': { answer: () => status(304) },
  'a build that is taken back': {
    answer: () => send(packOf(dump('0.9', -1))),
    code: 1,
    says: /1\.0, which is served, is gone upstream; .*gamedata rollback game 1\.0/,
  },
  'the same files with a later date': { answer: () => dated('', 0, 3), isDated: true },
  'the same files with an earlier date': { answer: () => dated('', 0, -9), isDated: true },
  'other files with an earlier date': {
    answer: () => dated('', 1, -9),
    isDated: true,
    code: 1,
    says: /2026-01-01, which is served, is gone upstream/,
  },
  'an archive of two games': { answer: send, served: ['1.0', '1.1'], twice: true },
  'a date far ahead': {
    answer: () => dated('', 1, 10_000),
    isDated: true,
    code: 1,
    says: /is \d+ days ahead; at most 60 days are usual for this game.*--take/s,
  },
};

for (const [title, trouble] of Object.entries(TROUBLES))
  test(title, async () => {
    const { answer, code = 0, says, isDated } = trouble;
    const first = isDated ? '2026-01-01' : '1.0';
    const { served = [first] } = trouble;
    let now: Answer = isDated ? dated('', 0, 1) : send(packOf(dump('1.0', 0)));
    const server = createServer((request, response) => now(request, response));
    const archive = `${await listen(server)}/dump.tar.gz`;
    const version = (at: string) => ({ file: 'd/version.json', at });
    const source = isDated ? { build: 'date' } : { build: version('/build'), released_at: version('/at') };
    await withWorld({}, async (world) => {
      await world.edit((game) => {
        game.tables = { units: 'd/units.json', gear: { files: 'd/gear.json', optional: true } };
        game.source = { archive, ...source, limits: { fetch_seconds: trouble.isSlow ? 2 : 60, read_mb: 1 } };
      });
      if (trouble.twice) await cp(world.folder, `${world.folder}-2`, { recursive: true });
      assert.equal((await see(world, 2)).served, [first]);
      now = answer(packOf(dump('1.1', 1)));
      const told = await see(world, 4);
      assert.equal([told.code, told.served, told.kinds.length], [code, served, code], told.stderr);
      if (says) assert.match(told.texts, says);
      const again = await see(world, 4.1);
      assert.equal([again.code, again.kinds, again.served], [code, [], served], again.stderr);
      now = isDated ? dated('', 2, 9) : send(packOf(dump('1.2', 2)));
      const well = await see(world, 10);
      assert.equal([well.code, well.served], [0, [...served, isDated ? '2026-01-09' : '1.2']], well.stderr);
    });
  });

test.run();

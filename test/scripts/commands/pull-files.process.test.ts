import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { create } from 'tar';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { connectTo, fetchFile } from '../../../scripts/upstream/pull/fetch.ts';
import { withFolder, writeFiles } from '../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../support/run-in-process.ts';
import { endServer, listen } from '../../support/listen.ts';

const test = suite('gamedata pull from files at addresses');

interface Served {
  body: Buffer;
  etag: string;
  modified: string;
}

/** A server of files in memory, with ETags. */
async function serveFiles() {
  const files = new Map<string, Served>();
  const log: string[] = [];
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    const same = file && request.headers['if-none-match'] === file.etag;
    const status = file === undefined ? 404 : same ? 304 : 200;
    log.push(`${request.url} ${status}`);
    const headers = file && { ETag: file.etag, 'Last-Modified': file.modified };
    if (request.url === '/slow') response.writeHead(200).write('x');
    else response.writeHead(status, headers).end(status === 200 ? file?.body : undefined);
  });
  return {
    address: await listen(server),
    log,
    set(name: string, content: Json | Buffer, modified: string) {
      const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
      files.set(name, {
        body,
        etag: `"${body.length}-${modified}"`,
        modified: new Date(modified).toUTCString(),
      });
    },
    close: () => endServer(server),
  };
}

type Server = Awaited<ReturnType<typeof serveFiles>>;

async function withGame(
  use: (server: Server, cwd: string, pull: (...args: string[]) => Promise<Outcome>) => Promise<void>,
) {
  const server = await serveFiles();
  await withFolder({}, (cwd) =>
    use(server, cwd, (...args) =>
      runInProcess('gamedata', ['pull', '--as-is', '--allow-local', ...args], { cwd }),
    ),
  );
}

function gameFile(source: Json): Json {
  return {
    title: 'Game',
    source,
    tables: { units: 'raw/units.json' },
    roster: { from: 'units', entry: "{'id': $key, 'name': name}" },
    datasets: { pull_planner: "{'currency': 'Gem'}" },
  };
}

async function listBuilds(cwd: string): Promise<string[]> {
  const entries = await readdir(path.join(cwd, 'data/game'), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Cuts off the files that remember what was fetched, as a full disk or a crash of the machine can. */
async function damageFetched(cwd: string): Promise<void> {
  const cache = path.join(cwd, 'var/upstream');
  for (const name of await readdir(cache, { recursive: true })) {
    const file = path.join(cache, name);
    if (/\/.*\.json$/.test(name)) await writeFile(file, (await readFile(file, 'utf8')).slice(0, 40));
  }
}

test('adds what files at addresses are now, and asks only for what has changed', async () => {
  await withGame(async (server, cwd, pull) => {
    const files = {
      [`${server.address}/units.json`]: 'raw/units.json',
      [`${server.address}/version.json`]: 'version.json',
    };
    await writeFiles(cwd, {
      'data/game/game.json': gameFile({ files, build: { file: 'version.json', at: '/v' } }),
    });
    server.set('/units.json', { a: { name: 'Ann' } }, '2026-01-01T10:00:00Z');
    server.set('/version.json', { v: '1.0' }, '2026-01-02T10:00:00Z');
    const planned = await pull('--dry-run');
    assert.match(
      planned.stdout,
      /game: 1 build in 2 files, 1 to add\n {2}1\.0, released at 2026-01-02T10:00:00Z: "http/,
    );
    const first = await pull();
    assert.equal([first.code, first.stderr], [0, '']);
    assert.equal(await listBuilds(cwd), ['1.0']);
    const { released_at } = JSON.parse(await readFile(path.join(cwd, 'data/game/1.0/build.json'), 'utf8'));
    assert.is(released_at, '2026-01-02T10:00:00Z');
    assert.equal(await readdir(path.join(cwd, 'data/game/1.0'), { recursive: true }), [
      'build.json',
      'raw',
      'raw/units.json',
    ]);
    server.log.length = 0;
    server.set('/version.json', { v: '1.1' }, '2026-02-02T10:00:00Z');
    const second = await pull();
    assert.is(second.code, 0, second.stderr);
    assert.equal(server.log, ['/units.json 304', '/version.json 200']);
    assert.equal(await listBuilds(cwd), ['1.0', '1.1']);

    server.log.length = 0;
    server.set('/version.json', { v: '1.2' }, '2026-03-02T10:00:00Z');
    await damageFetched(cwd);
    const third = await pull();
    assert.is(third.code, 0, third.stderr);
    assert.equal(server.log, ['/units.json 200', '/version.json 200']);
    assert.equal(await listBuilds(cwd), ['1.0', '1.1', '1.2']);
    server.log.length = 0;
    assert.not.match((await pull()).stdout, 'warning');
    assert.equal(server.log, ['/units.json 304', '/version.json 304']);
  });
});

test('adds what an archive is now; nothing of it is written outside', async () => {
  await withGame(async (server, cwd, pull) => {
    const source = { archive: `${server.address}/dump.tar.gz`, paths: { 'main/raw': 'raw' }, build: 'date' };
    await writeFiles(cwd, {
      'data/game/game.json': gameFile(source),
      'packed/main/raw/units.json': { a: { name: 'Ann' } },
      'packed/main/escaped.json': { a: { name: 'Ann' } },
    });
    const files = ['main/raw/units.json', 'main/raw/../escaped.json'];
    const packed = create(
      { gzip: true, sync: true, preservePaths: true, cwd: path.join(cwd, 'packed') },
      files,
    );
    server.set('/dump.tar.gz', packed.read() ?? Buffer.alloc(0), '2026-03-01T10:00:00Z');
    const { code, stderr } = await pull();
    assert.equal([code, stderr], [0, '']);
    const all = await readdir(path.join(cwd, 'data'), { recursive: true });
    assert.equal(
      all.filter((file) => /escaped|units/.test(file)),
      ['game/2026-03-01/raw/units.json'],
    );
  });
});

test('refuses what it cannot use, and says what to do', async () => {
  await withGame(async (server, cwd, pull) => {
    const refusal = async (source: Json) => {
      await writeFiles(cwd, { 'data/game/game.json': gameFile(source) });
      return (await pull()).stderr;
    };
    const at = (name: string) => ({
      files: { [`${server.address}${name}`]: 'raw/units.json' },
      build: 'date',
    });
    server.set('/units.json', {}, '2026-01-01T10:00:00Z');
    assert.match(
      await refusal({ ...at('/units.json'), build: { subject: '(a)' } }),
      '"build" in "source" is about commits',
    );
    await refusal({ ...at('/units.json'), build: { file: 'v.json', at: '' } });
    assert.match((await pull()).stderr, 'no file names a build: check "build"');
    server.set('/version.json', { client: 'a b' }, '2026-01-01T10:00:00Z');
    await refusal({
      files: { [`${server.address}/version.json`]: 'version.json' },
      build: { file: 'version.json', at: '/client' },
    });
    assert.match((await pull()).stdout, /1 build left out, such as: .* names the build "a b"/);
    assert.match(
      await refusal({ archive: `${server.address}/units.json`, build: 'date' }),
      'the archive cannot be unpacked',
    );
    assert.match(
      await refusal({ ...at('/units.json'), git: 'https://example.org/a' }),
      /with one of "git", "files"\s+and\s+"archive"/,
    );
    assert.match(
      await refusal({ files: { 'file:///etc/passwd': 'a' }, build: 'date' }),
      /an address such as/,
    );
    await writeFiles(cwd, { 'data/game/game.json': gameFile(at('/units.json')) });
    const hidden = await pull('--webhook', 'discord.com/api/webhooks/1/token');
    assert.equal([hidden.code, hidden.stderr.includes('token')], [2, false]);
    const strict = await runInProcess('gamedata', ['pull'], { cwd });
    assert.match(strict.stderr, 'does not begin with https://: if you trust this file, pass --allow-local');

    const connection = await connectTo(`${server.address}/units.json`, true);
    const target = path.join(cwd, 'fetched');
    const failed = await fetchFile(connection, target, { maxBytes: 1, maxMs: 60_000 }).catch(
      (error: Error) => error.message,
    );
    assert.match(
      String(failed),
      `${server.address}/units.json has more than 1 bytes: if a file may be so large, allow more`,
    );
    assert.equal((await readdir(cwd)).includes('fetched'), false);
    const slow = { ...connection, address: `${server.address}/slow` };
    const late = await fetchFile(slow, target, { maxBytes: 1000, maxMs: 100 }).catch(
      (error: Error) => error.message,
    );
    assert.match(String(late), '/slow cannot be fetched: it took longer than 0.1 s');
    // The name leads to this machine, but only the checked address is used, where nothing listens.
    const pinned = {
      ...connection,
      address: connection.address.replace('127.0.0.1', 'localhost'),
      addresses: ['127.1.2.3'],
    };
    const unreachable = await fetchFile(pinned, target, { maxBytes: 1000, maxMs: 60_000 }).catch(
      (error: Error) => error.message,
    );
    assert.match(String(unreachable), /ECONNREFUSED 127\.1\.2\.3/);
  });
});

test.run();

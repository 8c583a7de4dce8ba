import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandName, commandLine, type Running, startProcess } from '../support/command.ts';
import { startFileServer } from '../support/file-server.ts';
import { writeFiles } from '../support/fixtures.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import {
  COMMIT_BEFORE,
  compileVersionBefore,
  hasHistory,
  type VersionBefore,
} from '../support/version-before.ts';

/** The sample games without the empty dataset, for which only this version needs an override. */
const GAMES = {
  ...SAMPLE_GAMES,
  'star-rail/1.1/build.json': {
    released_at: '2026-02-01',
    overrides: [{ check: 'roster-loss', reason: 'Every build has characters of its own.' }],
  },
  'star-rail/1.1/events.json': [{ id: 'e1', name: 'First' }],
  'star-rail/1.2/characters.json': [{ id: 'secret', name: 'Secret', name_ja: '秘密' }],
};

type Version = 'this' | 'before';

interface Context {
  folder: string;
  before: VersionBefore;
  running: Running[];
  /** How many folders were written for the version before. */
  exports: number;
}

const all = suite<Context>('this version and the one before');
const isHere = await hasHistory();
if (!isHere) process.stdout.write(`skipped without the history of git, commit ${COMMIT_BEFORE}\n`);
const test = isHere ? all : all.skip;

all.before(async (context) => {
  context.running = [];
  context.exports = 0;
  context.folder = await mkdtemp(path.join(tmpdir(), 'versions-'));
  await writeFiles(path.join(context.folder, 'data'), GAMES);
  if (!isHere) return;
  context.before = await compileVersionBefore();
  await run(context, 'before', 'gamedata', ['build', '--out', 'dist-before', '--no-cache']);
});
all.after(async ({ folder, running }) => {
  for (const { child, ended } of running) {
    child.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true });
});

function start({ before, folder }: Context, version: Version, name: CommandName, args: string[]): Running {
  const [program, ...rest] = version === 'before' ? before.command(name) : commandLine(name, []);
  return startProcess(program, [...rest, ...args], { cwd: folder });
}

/** Runs a command of a version. @returns what it printed */
async function run(context: Context, version: Version, name: CommandName, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await start(context, version, name, args).ended;
  assert.is(code, 0, `${version}: ${name} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** What only this version says of each game in /api/games. */
const AGES = /,"age_days":\d+,"usual_interval_days":[^,]+,"behind":[^,}]+/g;

/** Serves a dist/ and a store by a version, and reads with a key. @returns the status and body of each address */
async function read(
  context: Context,
  version: Version,
  dist: string,
  { store, key }: { store: string; key: string },
  paths = ['/api/games', '/api/star-rail/characters', '/api/star-rail/history'],
) {
  const gateway = start(context, version, 'gateway', [
    ...['serve', '--port', '0', '--dist', dist, '--store', store, '--cache', `cache-${version}`],
  ]);
  context.running.push(gateway);
  const [, address = ''] = await gateway.printed(/"address":"(http:[^"]+)"/);
  const responses = await Promise.all(
    paths.map(async (target) => {
      const response = await fetch(address + target, { headers: { 'x-api-key': key } });
      return [target, response.status, (await response.text()).replaceAll(AGES, '')];
    }),
  );
  gateway.child.kill('SIGTERM');
  await gateway.ended;
  return responses;
}

async function issueKey(context: Context, version: Version, store: string): Promise<string> {
  const args = ['keys', 'issue', `${version}@example.org`, '--tier', 'pro', '--store', store, '--json'];
  return (JSON.parse(await run(context, version, 'gateway', args)) as { key: string }).key;
}

/** Writes what is in a store of this version to a new folder for the version before. @returns that folder */
async function exportStore(context: Context, store: string): Promise<string> {
  const folder = `${store}-before-${context.exports++}`;
  await run(context, 'this', 'gateway', ['store', 'migrate', '--from', store, '--to', `lmdb:${folder}`]);
  return folder;
}

for (const [writer, reader] of [
  ['before', 'this'],
  ['this', 'before'],
] as const) {
  test(`serve the same: "${reader}" reads the store that "${writer}" wrote`, async (context) => {
    // The form of dist/ that both read is that of the version before.
    const [dist, store] = ['dist-before', `store-${writer}`];
    const key = await issueKey(context, writer, store);
    const own = await read(context, writer, dist, { store, key });
    assert.equal(
      own.map(([, status]) => status),
      [200, 200, 200],
    );
    // This version takes over a folder of the version before, which in turn reads what this one exports.
    const pass = (to: Version, from: string) => (to === 'this' ? from : exportStore(context, from));
    const passed = await pass(reader, store);
    assert.equal(await read(context, reader, dist, { store: passed, key }), own);
    const second = await issueKey(context, reader, passed);
    const back = await pass(writer, passed);
    assert.equal(await read(context, writer, dist, { store: back, key: second }), own);
  });
}

test('serve everything of what the version before wrote, also what that version did not serve', async (context) => {
  const [dist, store] = ['dist-before', 'store-new'];
  const key = await issueKey(context, 'this', store);
  const game = '/api/star-rail';
  const paths = [
    ...['attributes', 'facets', 'names', 'banners', 'banners/facets', 'banners/attributes'],
    ...['banners/b10', 'characters?q=hutoa', 'characters?lang=ja', 'facets?lang=ja', 'characters/random'],
  ].map((address) => `${game}/${address}`);
  const responses = await read(context, 'this', dist, { store, key }, [
    ...paths,
    '/api/search?q=hutao',
    '/openapi/star-rail.json',
  ]);
  for (const [address, status, text] of responses) assert.is(status, 200, `${address}: ${text}`);
});

test('build on the dist/ of the version before, which refuses the result and says why', async (context) => {
  const [dist, store] = ['dist-upgraded', 'store-upgraded'];
  await cp(path.join(context.folder, 'dist-before'), path.join(context.folder, dist), { recursive: true });
  const key = await issueKey(context, 'this', store);
  const records = ['/api/games', '/api/star-rail/characters'];
  const own = await read(context, 'this', dist, { store, key }, records);
  await run(context, 'this', 'gamedata', ['build', '--out', dist]);
  assert.equal(await read(context, 'this', dist, { store, key }, records), own);
  const refused = await start(context, 'before', 'gateway', ['serve', '--port', '0', '--dist', dist]).ended;
  assert.is(refused.code, 1);
  assert.match(refused.stderr, 'has format 4, and this gateway reads format 2');
});

test('keep what is set for a key: the version before applies its expiry, and leaves the rest as it is', async (context) => {
  let store = 'store-keys';
  const keys = async (version: Version, ...args: string[]) =>
    JSON.parse(
      await run(context, version, 'gateway', ['keys', ...args, '--store', store, '--json']),
    ) as Record<string, unknown>;
  const expires_at = '2099-01-01T00:00:00.000Z';
  const options = ['--name', 'bot', '--expires', '2099-01-01', '--networks', '203.0.113.7'];
  const { prefix } = (await keys('this', 'issue', 'ada@example.org', ...options)) as { prefix: string };
  store = await exportStore(context, store);
  assert.is((await keys('before', 'show', prefix)).revoked_at, expires_at);
  await keys('before', 'rotate', prefix, '--keep', '1h');
  const { name, networks, revoked_at, expires_at: expires } = await keys('this', 'show', prefix);
  assert.equal([name, networks, expires], ['bot', ['203.0.113.7'], expires_at]);
  assert.ok(Date.parse(String(revoked_at)) < Date.parse(expires_at));
  store = await exportStore(context, store);
  await run(context, 'before', 'gateway', ['accounts', 'delete', 'ada@example.org', '--store', store]);
  assert.equal(await keys('this', 'list'), []);
});

test('follow what the version before publishes', async (context) => {
  const { folder } = context;
  await run(context, 'before', 'gamedata', ['publish', 'published', '--dist', 'dist-before']);
  const key = await issueKey(context, 'this', 'store-published');
  const files = await startFileServer(path.join(folder, 'published'));
  try {
    const store = await exportStore(context, 'store-published');
    assert.equal(
      await read(context, 'before', files.address, { store, key }),
      await read(context, 'this', files.address, { store: 'store-published', key }),
    );
  } finally {
    await files.stop();
  }
});

all.run();

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, runCommand, startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';
import { listen } from '../../support/listen.ts';

interface Context {
  folder: string;
  /** The options of a gateway that starts. */
  options: string[];
  /** A server that listens, and never responds. */
  taken: Server;
  /** Its port. */
  port: string;
  /** Serves dist/. */
  files: FileServer;
}

const starts = suite<Context>('a start of gateway serve');
starts.before(async (context) => {
  const folder = await makeFolder('start');
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  await writeFile(path.join(folder, 'a-file'), 'of another program');
  await mkdir(path.join(folder, 'a-store.sqlite', 'store.sqlite'), { recursive: true });
  await mkdir(path.join(folder, 'a-index.json'));
  execFileSync('mkfifo', [path.join(folder, 'a-index.json', 'index.json')]);
  const taken = createServer((socket) => socket.on('error', () => {}));
  const { port } = new URL(await listen(taken));
  const places = ['--dist', path.join(folder, 'dist'), '--store', path.join(folder, 'store')];
  const files = await startFileServer(path.join(folder, 'dist'));
  Object.assign(context, { folder, taken, port, files });
  context.options = ['--port', '0', '--metrics-port', '0', ...places];
});

function start({ folder, options }: Context, args: string[]): Running {
  return startCommand('gateway', ['serve', ...options, ...args], { cwd: folder });
}

/** What is taken, the options that name it, and the message. */
const TAKEN: [string, (context: Context) => string[], RegExp][] = [
  [
    '--port',
    ({ port }) => ['--port', port],
    /^gateway: cannot listen on port \d+ of 127\.0\.0\.1: it is in use/,
  ],
  [
    '--metrics-port',
    ({ port }) => ['--metrics-port', port],
    /^gateway: cannot listen on port \d+ of 127\.0\.0\.1: it is in use: .*--metrics-port/,
  ],
  [
    'the folder of --store',
    ({ folder }) => ['--store', path.join(folder, 'a-file')],
    /^gateway: cannot open the store in .*a-file: E(?:EXIST|NOTDIR): .*; name a folder/,
  ],
  [
    'store.sqlite of --store',
    ({ folder }) => ['--store', path.join(folder, 'a-store.sqlite')],
    /^gateway: .*the store in \S*a-store.sqlite/,
  ],
  [
    'the index of --dist',
    ({ folder }) => ['--dist', path.join(folder, 'a-index.json')],
    /^gateway: .*index\.json is not a regular file: delete it and run gamedata build$/m,
  ],
  ['the folder of --dist', ({ folder }) => ['--dist', path.join(folder, 'a-file')], /^gateway: .*a-file/],
  [
    'the folder of --cache',
    ({ folder, files }) => ['--cache', path.join(folder, 'a-file'), '--dist', files.address],
    /^gateway: .*a-file cannot be written/,
  ],
];

function checkFailure({ code, stderr }: { code: number | null; stderr: string }, message: RegExp): void {
  assert.is(code, 1, stderr);
  assert.match(stderr, message);
  assert.is(stderr.trimEnd().split('\n').length, 1, stderr);
}

for (const [what, args, message] of TAKEN) {
  starts(`ends with exit code 1 if ${what} is taken`, async (context) => {
    const words = ['serve', ...context.options, ...args(context)];
    checkFailure(await runCommand('gateway', words, { cwd: context.folder }), message);
  });
}

for (const [what, args, message] of TAKEN.slice(0, 3))
  starts(`leaves no worker running if ${what} is taken`, async (context) => {
    checkFailure(await start(context, [...args(context), '--workers', '2']).ended, message);
  });

starts('ends at once at SIGTERM while a dist elsewhere does not respond', async (context) => {
  const connected = new Promise<Socket>((resolve) => context.taken.once('connection', resolve));
  const running = start(context, ['--dist', `http://127.0.0.1:${context.port}/dist`]);
  await connected;
  running.child.kill('SIGTERM');
  const { code, signal } = await running.ended;
  assert.equal([code, signal], [null, 'SIGTERM']);
});

starts('ends at SIGTERM while a worker waits to be replaced', async (context) => {
  const running = start(context, ['--workers', '2']);
  const { input = '' } = await running.printed(/(worker ready[\s\S]*){2}/);
  process.kill(Number(/"worker ready","pid":(\d+)/.exec(input)?.[1]), 'SIGKILL');
  await running.printed(/replaced","pid"/);
  running.child.kill('SIGTERM');
  assert.is((await running.ended).code, 0);
});

starts('ends at SIGTERM although a worker hangs', async (context) => {
  const running = start(context, ['--workers', '2']);
  const { input = '' } = await running.printed(/(worker ready[\s\S]*){2}/);
  const pid = Number(/"worker ready","pid":(\d+)/.exec(input)?.[1]);
  process.kill(pid, 'SIGSTOP');
  running.child.kill('SIGTERM');
  assert.is((await running.ended).code, 0);
  await until(() => !isRunning(pid));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

starts.run();

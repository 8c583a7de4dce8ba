import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startCommand, startProcess } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { withPrograms } from '../../support/skip.ts';

/** Prints what systemd would receive. */
const LISTENER = `
import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(server.recv(4096).decode(), flush=True)
`;

interface Context {
  folder: string;
  listener: Running;
  gateway: Running | undefined;
}

const all = suite<Context>('gateway serve under systemd');
const test = withPrograms(all, 'systemd-notify', 'python3');
all.before(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'notify-'));
  await buildGames(SAMPLE_GAMES, path.join(context.folder, 'dist'));
});
all.after(async ({ folder, listener, gateway }) => {
  for (const running of [gateway, listener]) {
    running?.child.kill('SIGKILL');
    await running?.ended;
  }
  await rm(folder, { recursive: true });
});

test('reports that it is ready, that it runs, and that it stops', async (context) => {
  const { folder } = context;
  const socket = path.join(folder, 'notify');
  context.listener = startProcess('python3', ['-c', LISTENER, socket]);
  await context.listener.printed(/listening/);
  const places = ['--dist', path.join(folder, 'dist'), '--store', path.join(folder, 'store')];
  context.gateway = startCommand('gateway', ['serve', '--port', '0', ...places], {
    env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' },
  });
  await context.listener.printed(/READY=1[\s\S]*(WATCHDOG=1[\s\S]*){2}/);
  context.gateway.child.kill('SIGTERM');
  assert.is((await context.gateway.ended).code, 0);
  await context.listener.printed(/STOPPING=1/);
});

all.run();

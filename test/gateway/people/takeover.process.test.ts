import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALL_SEEN, addRequest, decideRequest } from '../../../gateway/people/requests.ts';
import { idOf } from '../../support/accounts.ts';
import { startCommand } from '../../support/command.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { issueKey } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';
import { endPostgres, type Place, postgresPlace, SECRET_KEY, sqlitePlace } from '../store/engines.ts';
import { startSmtp } from './smtp-server.ts';

async function checkTakeover(dist: string, place: Place): Promise<void> {
  const store = await place.open();
  await issueKey(store, 'free', 'ada@example.org');
  const account = await idOf(store, 'ada@example.org');
  await store.run('DELETE FROM mails');
  await addRequest(store, { account, seen: ALL_SEEN }, { name: 'Tiny', link: 'https://example.org/tiny' });
  await decideRequest(store, '1', { status: 'accepted', game: 'tiny-game' });

  let accept = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    accept = resolve;
  });
  // It receives a mail, but never confirms it.
  const onData = (stream: NodeJS.ReadableStream) => void stream.resume().once('end', accept);
  const silent = await startSmtp(undefined, { onData, closeTimeout: 1 });
  const start = (url: string) =>
    startCommand('gateway', ['serve'], {
      cwd: dist,
      env: {
        ...{
          GATEWAY_PORT: '0',
          GATEWAY_DIST: dist,
          GATEWAY_STORE: place.address,
          GATEWAY_SECRET_KEY: SECRET_KEY,
        },
        ...{ SMTP_URL: url, MAIL_FROM: 'keys@example.org' },
      },
    });
  const holder = start(silent.url);
  await hasBegun;
  holder.child.kill('SIGKILL');
  await once(holder.child, 'close');
  await silent.stop();

  const smtp = await startSmtp();
  const next = start(smtp.url);
  await next.printed(/"message":"listening"/);
  // The first gateway may still be alive, until its lease ends.
  const held = await store.get<{ leased_until: number }>(
    'SELECT leased_until FROM mails WHERE done_at IS NULL',
  );
  assert.ok((held?.leased_until ?? 0) > Date.now());
  assert.equal(smtp.mails, []);
  await store.run('UPDATE mails SET leased_until = 0');
  await until(() => smtp.mails.length > 0);
  next.child.kill('SIGTERM');
  await next.ended;
  assert.equal(
    smtp.mails.map(({ to, subject }) => [to, subject]),
    [[['ada@example.org'], 'Tiny is available']],
  );
  await smtp.stop();
  await store.close();
}

const test = suite('the mail of a gateway that is killed');
for (const [engine, makePlace] of [
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
] as const)
  test(`is sent by another gateway on ${engine}`, async () => {
    const dist = await mkdtemp(path.join(tmpdir(), 'takeover-'));
    const place = await makePlace();
    await buildGames(SAMPLE_GAMES, dist);
    await checkTakeover(dist, place);
    await place.remove();
    await rm(dist, { recursive: true });
  });
test.after(() => endPostgres());
test.run();

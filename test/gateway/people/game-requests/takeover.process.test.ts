import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { followDist } from '../../../../gateway/data/follow-dist.ts';
import { accountByEmail } from '../../../../gateway/people/accounts/account-records.ts';
import { startAnnouncing } from '../../../../gateway/people/game-requests/announce.ts';
import { ALL_SEEN } from '../../../../gateway/people/game-requests/game-request.ts';
import { addRequest, decideRequest } from '../../../../gateway/people/game-requests/requests.ts';
import { createSmtpMailer } from '../../../../gateway/people/mail/smtp-mailer.ts';
import { startCommand } from '../../../support/command.ts';
import { buildGames } from '../../../support/dist-fixture.ts';
import { issueKey } from '../../../support/harness.ts';
import { QUIET } from '../../../support/quiet.ts';
import { SAMPLE_GAMES } from '../../../support/sample-games.ts';
import { endPostgres, type Place, postgresPlace, sqlitePlace } from '../../store/engines.ts';
import { onEachDriver } from '../../store/on-each-store.ts';
import { startSmtp } from '../mail/smtp-server.ts';

const MINUTE = 60_000;

interface Context {
  dist: string;
  place: Place;
}

async function checkTakeover({ dist, place }: Context): Promise<void> {
  const store = await place.open();
  await issueKey(store, 'free', 'ada@example.org');
  const account = (await accountByEmail(store, 'ada@example.org'))?.account.id ?? '';
  const link = 'https://example.org/tiny';
  const request = { account, seen: ALL_SEEN, name: 'Tiny', link, now: Date.now() };
  const { id } = await addRequest(store, request);
  await decideRequest(store, { id, status: 'accepted', game: 'tiny-game', now: Date.now() });

  let accept = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    accept = resolve;
  });
  // It receives a mail, but never confirms it.
  const silent = await startSmtp(undefined, {
    onData: (stream) => void stream.resume().once('end', accept),
    closeTimeout: 1,
  });
  const env = {
    GATEWAY_PORT: '0',
    GATEWAY_DIST: dist,
    GATEWAY_STORE: place.address,
    SMTP_URL: silent.url,
    MAIL_FROM: 'keys@example.org',
  };
  const holder = startCommand('gateway', ['serve'], { cwd: dist, env });
  await hasBegun;
  holder.child.kill('SIGKILL');
  await once(holder.child, 'close');
  await silent.stop();

  const smtp = await startSmtp();
  const follower = await followDist(dist, { now: Date.now, log: QUIET, interval: MINUTE });
  let later = 0;
  const announcer = startAnnouncing({
    follower,
    store,
    log: QUIET,
    now: () => Date.now() + later,
    mailer: createSmtpMailer(smtp.url, 'keys@example.org'),
    interval: MINUTE,
  });
  await announcer.run();
  assert.equal(smtp.mails, [], 'the first gateway may still be alive');
  later = MINUTE;
  await announcer.run();
  await announcer.run();
  assert.equal(
    smtp.mails.map(({ to, subject }) => [to, subject]),
    [[['ada@example.org'], 'Tiny is available']],
  );
  await announcer.close();
  follower.close();
  await smtp.stop();
  await store.close();
}

onEachDriver<Context>(
  'announcements of a gateway that is killed',
  (test, all, makePlace) => {
    all.before.each(async (context) => {
      context.dist = await mkdtemp(path.join(tmpdir(), 'takeover-'));
      context.place = await makePlace();
      await buildGames(SAMPLE_GAMES, context.dist);
    });
    all.after.each(async ({ dist, place }) => {
      await place.remove();
      await rm(dist, { recursive: true });
    });

    test('are sent by another gateway', checkTakeover);
  },
  [sqlitePlace, postgresPlace],
);
process.once('beforeExit', () => endPostgres());

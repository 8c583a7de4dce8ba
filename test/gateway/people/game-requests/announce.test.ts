import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DistFollower, followDist } from '../../../../gateway/data/follow-dist.ts';
import { accountByEmail, grantTier } from '../../../../gateway/people/accounts/account-records.ts';
import { type Announcer, startAnnouncing } from '../../../../gateway/people/game-requests/announce.ts';
import { ALL_SEEN } from '../../../../gateway/people/game-requests/game-request.ts';
import {
  addRequest,
  decideRequest,
  findRequest,
  supportRequest,
  withdrawSupport,
} from '../../../../gateway/people/game-requests/requests.ts';
import { type Mail, type Mailer, MailError } from '../../../../gateway/people/mail/mailer.ts';
import { createSmtpMailer } from '../../../../gateway/people/mail/smtp-mailer.ts';
import { deleteAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { buildGames } from '../../../support/dist-fixture.ts';
import { issueKey, NOON } from '../../../support/harness.ts';
import { SAMPLE_GAMES } from '../../../support/sample-games.ts';
import { type Place, sqlitePlace } from '../../store/engines.ts';
import { onEachDriver } from '../../store/on-each-store.ts';
import { startSmtp } from '../mail/smtp-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Its first build is released an hour after NOON. */
const COMING = {
  'coming/game.json': { title: 'Coming' },
  'coming/1/build.json': { released_at: new Date(NOON + HOUR).toISOString() },
  'coming/1/characters.csv': 'id,name\nx,X\n',
  'coming/1/pull_planner.json': { currency: 'coins' },
};

interface World {
  place: Place;
  store: Store;
  dist: string;
  follower: DistFollower;
  clock: { now: number };
  logged: string[];
  /** The mails that all gateways have sent. */
  sent: Mail[];
  /** Opens an account that requests a game; it is Pro if its name begins with `pro`. @returns the request's id */
  ask(email: string, page?: string): Promise<string>;
  /** Starts an announcer that only works when `run` is called. */
  start(mailer?: Mailer): Announcer;
}

onEachDriver<World>('announcing requested games', (test, all, makePlace) => {
  all.before.each((context) => startWorld(context, makePlace));
  all.after.each(stopWorld);

  test('when Pro can see its game, a request is done and its supporters are mailed', async (world) => {
    const { store, clock, sent, dist, follower } = world;
    const id = await world.ask('ada@example.org');
    await world.ask('pro@example.org');
    const other = await world.ask('ada@example.org', 'other');
    await decideRequest(store, { id, status: 'accepted', game: 'coming', now: clock.now });
    await decideRequest(store, { id: other, status: 'accepted', now: clock.now });
    const { run } = world.start();
    await run();
    assert.equal(sent, [], 'the game does not exist yet');
    await buildGames({ ...SAMPLE_GAMES, ...COMING }, dist);
    await follower.look();
    await run();
    assert.equal(
      [sent, (await findRequest(store, id))?.status],
      [[], 'accepted'],
      'the build is still embargoed',
    );
    clock.now += HOUR;
    await run();
    assert.equal(
      sent.map(({ to }) => to),
      ['pro@example.org'],
      'a free account does not see the game yet',
    );
    for (let hour = 0; hour < 24; hour++) {
      assert.is(sent.length, 1);
      clock.now += HOUR;
      await run();
    }
    assert.is(sent[1]?.to, 'ada@example.org');
    for (const { subject, text } of sent) {
      assert.is(subject, 'Game page is available');
      assert.match(text, /^ {4}\/api\/coming\/characters$/m);
    }
    const done = await findRequest(store, id);
    assert.equal([done?.status, done?.changed_at], ['done', new Date(NOON + HOUR).toISOString()]);
    assert.is((await findRequest(store, other))?.status, 'accepted');
    await run();
    assert.is(sent.length, 2, 'each supporter once');
  });

  test('a request that the command line marks as done is announced too, and once', async (world) => {
    const { store, clock, sent } = world;
    const id = await world.ask('ada@example.org');
    for (let time = 0; time < 2; time++) {
      await decideRequest(store, { id, status: 'done', game: 'tiny-game', now: clock.now });
      await world.start().run();
    }
    assert.equal(
      sent.map(({ to }) => to),
      ['ada@example.org'],
    );
  });

  test('each mail is sent by one of several gateways', async (world) => {
    const { store, clock, sent } = world;
    const people = Array.from({ length: 12 }, (_, index) => `p${index}@example.org`);
    let id = '';
    for (const email of people) id = await world.ask(email);
    await decideRequest(store, { id, status: 'accepted', game: 'tiny-game', now: clock.now });
    await Promise.all(Array.from({ length: 4 }, () => world.start().run()));
    assert.equal(sent.map(({ to }) => to).sort(), [...people].sort());
    assert.is(world.logged.filter((line) => line.includes('a requested game is available')).length, 1);
  });

  test('when a gateway dies while it sends a mail, another one sends it after the lease', async (world) => {
    const { store, clock, sent } = world;
    const id = await world.ask('ada@example.org');
    await decideRequest(store, { id, status: 'done', game: 'tiny-game', now: clock.now });
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const dying: Mailer = {
      send: () => {
        begun();
        return new Promise(() => {});
      },
    };
    void world.start(dying).run();
    await hasBegun;
    const { run } = world.start();
    await run();
    assert.equal(sent, [], 'the first gateway may still be alive');
    clock.now += MINUTE;
    await run();
    assert.is(sent.length, 1);
  });

  test('a mail is retried after a temporary failure, but not after a refusal', async (world) => {
    const { store, clock, sent } = world;
    const id = await world.ask('ada@example.org');
    await world.ask('gone@example.org');
    await decideRequest(store, { id, status: 'done', game: 'tiny-game', now: clock.now });
    await world.start(failing('unavailable')).run();
    await world.start(failing('unavailable')).run();
    clock.now += MINUTE;
    await world.start(failing('unavailable')).run();
    clock.now += MINUTE;
    const refusing: Mailer = {
      send: async (mail) => {
        if (mail.to.startsWith('gone')) throw new MailError('refused', 'no such user');
        sent.push(mail);
      },
    };
    const { run } = world.start(refusing);
    for (let minute = 0; minute < 10; minute++) {
      await run();
      clock.now += MINUTE;
    }
    assert.equal(
      sent.map(({ to }) => to),
      ['ada@example.org'],
    );
    const logged = world.logged.join('\n');
    assert.match(logged, /"failure":"unavailable"/);
    assert.match(logged, /"failure":"refused"/);
    assert.not.match(logged, /example\.org/);
  });

  test('an account that withdraws its support, or is upgraded, is mailed as its view says', async (world) => {
    const { store, clock, sent, dist, follower } = world;
    const id = await world.ask('ada@example.org');
    await world.ask('bob@example.org');
    await buildGames({ ...SAMPLE_GAMES, ...COMING }, dist);
    await follower.look();
    await decideRequest(store, { id, status: 'done', game: 'coming', now: clock.now });
    const { run } = world.start();
    clock.now += HOUR;
    await run();
    assert.equal(sent, []);
    await withdrawSupport(store, { id, account: await idOf(store, 'bob@example.org') });
    await grantTier(store, 'ada@example.org', { tier: 'pro', pro_until: null });
    clock.now += HOUR;
    await run();
    clock.now += 24 * HOUR;
    await run();
    assert.equal(
      sent.map(({ to }) => to),
      ['ada@example.org'],
    );
  });

  test('a deleted account gets no mail', async (world) => {
    const { store, clock, sent } = world;
    const id = await world.ask('ada@example.org');
    await decideRequest(store, { id, status: 'done', game: 'tiny-game', now: clock.now });
    await deleteAccount(store, 'ada@example.org');
    await world.start().run();
    assert.equal(sent, []);
  });
});

const mails = suite('the mail about a requested game');
mails('is sent over SMTP', async () => {
  const world = {} as World;
  await startWorld(world, sqlitePlace);
  const smtp = await startSmtp();
  try {
    const id = await world.ask('ada@example.org');
    await world.start(createSmtpMailer(smtp.url, 'Game Data <keys@example.org>')).run();
    assert.equal(smtp.mails, []);
    const account = await idOf(world.store, 'ada@example.org');
    await supportRequest(world.store, { id, account, seen: ALL_SEEN, now: world.clock.now });
    await decideRequest(world.store, { id, status: 'done', game: 'tiny-game', now: world.clock.now });
    const announcer = world.start(createSmtpMailer(smtp.url, 'Game Data <keys@example.org>'));
    await announcer.run();
    await announcer.close();
    assert.equal(
      smtp.mails.map(({ to, subject }) => [to, subject]),
      [[['ada@example.org'], 'Game page is available']],
    );
  } finally {
    await smtp.stop();
    await stopWorld(world);
  }
});
mails.run();

function failing(failure: 'unavailable' | 'refused'): Mailer {
  return { send: () => Promise.reject(new MailError(failure, 'no mail today')) };
}

async function idOf(store: Store, email: string): Promise<string> {
  return (await accountByEmail(store, email))?.account.id ?? '';
}

async function startWorld(context: World, makePlace: () => Place | Promise<Place>): Promise<void> {
  const clock = { now: NOON };
  const now = () => clock.now;
  const logged: string[] = [];
  const record = (message: string, fields = {}) => void logged.push(JSON.stringify({ message, ...fields }));
  const log = { info: record, error: record, access: () => {} };
  const place = await makePlace();
  const store = await place.open({ now });
  const dist = await mkdtemp(path.join(tmpdir(), 'dist-'));
  await buildGames(SAMPLE_GAMES, dist);
  const follower = await followDist(dist, { now, log, interval: HOUR });
  const sent: Mail[] = [];
  const recording: Mailer = { send: async (mail) => void sent.push(mail) };
  Object.assign(context, { place, store, dist, follower, clock, logged, sent });
  context.ask = async (email, page = 'page') => {
    await issueKey(store, email.startsWith('pro') ? 'pro' : 'free', email);
    const link = `https://example.org/${page}`;
    const account = await idOf(store, email);
    return (await addRequest(store, { account, seen: ALL_SEEN, name: `Game ${page}`, link, now: now() })).id;
  };
  context.start = (mailer = recording) =>
    startAnnouncing({ follower, store, log, now, mailer, interval: HOUR });
}

async function stopWorld({ follower, store, place, dist }: World): Promise<void> {
  follower.close();
  await store.close();
  await place.remove();
  await rm(dist, { recursive: true });
}

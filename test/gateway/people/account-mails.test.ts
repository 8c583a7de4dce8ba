import * as assert from 'uvu/assert';
import { type DistFollower, followDist } from '../../../gateway/data/follow-dist.ts';
import { startAccountMails } from '../../../gateway/people/account-mails.ts';
import { runJobs } from '../../../gateway/people/jobs.ts';
import type { Mail, Mailer } from '../../../gateway/people/mailer.ts';
import { erasePerson } from '../../../gateway/people/privacy.ts';
import {
  ALL_SEEN,
  addRequest,
  decideRequest,
  listRequests,
  withdrawSupport,
} from '../../../gateway/people/requests.ts';
import { type Actor, recordChange } from '../../../gateway/store/audit.ts';
import { StoreError } from '../../../gateway/store/sql.ts';
import { grantTier, idOf } from '../../support/accounts.ts';
import { buildGames } from '../../support/dist-fixture.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { issueKey, NOON } from '../../support/harness.ts';
import { QUIET } from '../../support/quiet.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';
import { until } from '../../support/until.ts';
import { onEachEngine, type StoreContext } from '../store/engines.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EMAIL = 'ada@example.org';
const PAGE = 'https://api.example.org/account';
const THIEF: Actor = { by: 'account', network: '203.0.113.9' };
/** Its first build is released an hour after NOON. */
const COMING = {
  'coming/game.json': { title: 'Coming' },
  'coming/1/build.json': { released_at: new Date(NOON + HOUR).toISOString() },
  'coming/1/characters.csv': 'id,name\nx,X\n',
  'coming/1/pull_planner.json': { currency: 'coins' },
};

interface Context extends StoreContext {
  dist: string;
  follower: DistFollower;
  /** The mails that all gateways have sent. */
  sent: Mail[];
  errors: string[];
  /** Starts a gateway's mails. */
  start(mailer?: Mailer): void;
  /** Waits until nothing is due, and all that ended was noted. */
  settle(): Promise<void>;
  /** Opens an account; it is Pro if its name begins with `pro`. */
  open(email: string): Promise<string>;
  happen(event: string, about?: string): Promise<void>;
}

const IDLE =
  'SELECT id FROM mails WHERE done_at IS NULL AND failed_at IS NULL AND (due_at <= $1 OR leased_until > $1)';

onEachEngine<Context>('mails about accounts', (test) => {
  const running: { close(): Promise<void> }[] = [];
  test.before.each(async (context) => {
    const { store, clock } = context;
    clock.now = NOON;
    context.sent = [];
    context.errors = [];
    const error = (message: string, fields = {}) =>
      void context.errors.push(message + JSON.stringify(fields));
    const log = { info: () => {}, error, access: () => {} };
    const now = () => clock.now;
    context.dist = await makeFolder('dist');
    await buildGames(SAMPLE_GAMES, context.dist);
    context.follower = await followDist(context.dist, { now, log, interval: HOUR });
    const { follower, sent } = context;
    const recording: Mailer = {
      async send(mail) {
        sent.push(mail);
        return undefined;
      },
    };
    context.start = (mailer = recording) => {
      running.push(
        startAccountMails({
          store,
          follower,
          log,
          now,
          mailer,
          publicUrl: () => 'https://api.example.org',
          interval: 20,
        }),
      );
    };
    context.settle = () => until(async () => (await store.all(IDLE, [clock.now])).length === 0);
    context.open = async (email) => {
      await issueKey(store, email.startsWith('pro') ? 'pro' : 'free', email);
      return await idOf(store, email);
    };
    const id = await context.open(EMAIL);
    context.happen = (event, about = '') =>
      store.transaction((sql) => recordChange(sql, { account: id, event, about, actor: THIEF }));
  });
  test.after.each(async ({ follower }) => {
    await Promise.all(running.splice(0).map((each) => each.close()));
    follower.close();
  });

  test('report a key that the operator made at once', async ({ start, settle, sent }) => {
    start();
    await settle();
    const [mail] = sent;
    assert.is(mail?.to, EMAIL);
    assert.match(mail?.subject ?? '', /^Your account: The operator made a key: gdr_[a-z2-7]{8}$/);
    assert.match(mail?.text ?? '', /- 2026-06-01 12:00 UTC: The operator made a key: gdr_/);
    assert.ok(mail?.text.includes(`revoke its keys at\n${PAGE}\n`));
  });

  test('collect what happens within a quarter of an hour, and leave nothing out', async (context) => {
    const { clock, happen, start, settle, sent } = context;
    start();
    await settle();
    for (let count = 0; count < 40; count++) await happen('key.made', `gdr_aaaaaa${count}`);
    await happen('webhook.set', 'example.org');
    clock.now += 15 * MINUTE - 1;
    await happen('key.revoked', 'gdr_hidden00');
    await settle();
    assert.is(sent.length, 1);
    clock.now += 1;
    await settle();
    assert.is(sent[1]?.subject, 'Your account: 41 events');
    assert.match(sent[1]?.text ?? '', /You made a key: gdr_aaaaaa0, from the network 203\.0\.113\.9\n/);
    assert.not.match(sent[1]?.text ?? '', /webhook/, 'it is not an event that is mailed');
  });

  test('about a game go to each supporter once, as soon as it can see the game', async (context) => {
    const { store, clock, sent, dist, follower, open, start, settle } = context;
    const [ada, pro] = [await idOf(store, EMAIL), await open('pro@example.org')];
    const typed = { name: 'Wanted', link: 'https://example.org/page' };
    for (const account of [ada, pro, await open('bob@example.org')])
      await addRequest(store, { account, seen: ALL_SEEN }, typed);
    await decideRequest(store, '1', { status: 'accepted', game: 'coming' });
    await withdrawSupport(store, '1', await idOf(store, 'bob@example.org'));
    start();
    start();
    await settle();
    const available = () =>
      sent.filter(({ subject }) => subject === 'Wanted is available').map(({ to }) => to);
    await buildGames({ ...SAMPLE_GAMES, ...COMING }, dist);
    await follower.loadNewest();
    const statusOf = async () => (await listRequests(store))[0]?.status;
    assert.equal([available(), await statusOf()], [[], 'accepted'], 'the build is still embargoed');
    clock.now += HOUR;
    await until(() => available().length === 1);
    await settle();
    assert.equal(
      [available(), await statusOf()],
      [['pro@example.org'], 'done'],
      'a free account does not see it yet',
    );
    const due = await store.get<{ at: number }>('SELECT due_at AS at FROM mails WHERE done_at IS NULL');
    assert.is(due?.at, clock.now + HOUR);
    for (let hour = 0; hour < 24; hour++) {
      clock.now += HOUR;
      await settle();
    }
    assert.equal(available(), ['pro@example.org', EMAIL]);
    assert.match(sent.at(-1)?.text ?? '', /^ {4}https:\/\/api\.example\.org\/api\/coming\/characters$/m);
    await decideRequest(store, '1', { status: 'declined' });
    await decideRequest(store, '1', { status: 'done' });
    await settle();
    assert.is(available().length, 2);
  });

  test('are retried when the mail server is down, and given up when it refuses', async (context) => {
    const { store, clock, start, settle, sent, errors, happen } = context;
    let failure: 'unavailable' | 'refused' | undefined = 'unavailable';
    start({
      send: async (mail) => {
        if (failure) return { failure, error: 'no mail today' };
        sent.push(mail);
        return undefined;
      },
    });
    await until(() => errors.length === 1);
    failure = undefined;
    await until(async () => {
      clock.now += MINUTE;
      return sent.length === 1;
    });
    await settle();
    failure = 'refused';
    clock.now += HOUR;
    await happen('key.revoked', 'gdr_aaaaaaaa');
    await until(() => errors.length === 2);
    await settle();
    const failed = await store.all('SELECT id FROM mails WHERE failed_at IS NOT NULL');
    assert.is(failed.length, 1);
    assert.match(errors.join(), /"failure":"unavailable".*"failure":"refused"/);
    assert.not.match(errors.join(), /@example/);
  });

  test('are not sent about a deleted account', async ({ store, clock, happen, start, settle, sent }) => {
    start();
    await settle();
    await happen('key.made', 'gdr_aaaaaaaa');
    await grantTier(store, EMAIL, { tier: 'pro', pro_until: null });
    await erasePerson(store, EMAIL);
    clock.now += HOUR;
    await settle();
    assert.is(sent.length, 1);
    assert.equal(await store.all('SELECT id FROM mails'), []);
  });

  test('a failure of a job that lasts is logged once', async ({ errors }) => {
    let runs = 0;
    const fail = () => Promise.reject(new StoreError(`away${++runs > 3 ? ' for another reason' : ''}`));
    const log = { ...QUIET, error: (message: string) => void errors.push(message) };
    const runner = runJobs([fail], { interval: 1, log, message: 'failed' });
    await until(() => runs > 6);
    await runner.close();
    assert.equal(errors, ['failed', 'failed']);
  });
});

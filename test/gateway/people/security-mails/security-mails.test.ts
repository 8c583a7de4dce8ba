import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountByEmail } from '../../../../gateway/people/accounts/account-records.ts';
import type { Actor } from '../../../../gateway/store/audit.ts';
import type { EventName } from '../../../../gateway/people/audit/audit-event.ts';
import { recordEvent } from '../../../../gateway/people/audit/audit-log.ts';
import { createSmtpMailer } from '../../../../gateway/people/mail/smtp-mailer.ts';
import { deleteAccount } from '../../../../gateway/people/privacy/personal-data.ts';
import { startSecurityMails } from '../../../../gateway/people/security-mails/send-mails.ts';
import type { Store } from '../../../../gateway/store/sql.ts';
import { issueKey, NOON } from '../../../support/harness.ts';
import { QUIET } from '../../../support/quiet.ts';
import { until } from '../../../support/until.ts';
import { sqlitePlace, type Place } from '../../store/engines.ts';
import { startSmtp, type TestSmtp } from '../mail/smtp-server.ts';

const MINUTE = 60_000;
const EMAIL = 'ada@example.org';
const PAGE = 'https://api.example.org/account';
const THIEF: Actor = { by: 'account', network: '203.0.113.9' };

interface Context {
  place: Place;
  store: Store;
  smtp: TestSmtp;
  clock: { now: number };
  /** The id of the account. */
  id: string;
  /** The refusal of the mail server, if any. */
  refusal: { code: number | undefined };
  errors: string[];
  happen(event: EventName, about?: string): Promise<void>;
  stop(): Promise<void>;
}

const mails = suite<Context>('security mails');
mails.before.each(async (context) => {
  const clock = { now: NOON };
  const refusal: Context['refusal'] = { code: undefined };
  const place = await sqlitePlace();
  const store = await place.open({ now: () => clock.now });
  const smtp = await startSmtp(() => refusal.code);
  const errors: string[] = [];
  const log = {
    ...QUIET,
    error: (message: string, fields = {}) => errors.push(message + JSON.stringify(fields)),
  };
  await issueKey(store, 'free', EMAIL);
  const id = (await accountByEmail(store, EMAIL))?.account.id ?? '';
  const options = { store, log, page: () => PAGE, interval: 20 };
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>');
  const jobs = startSecurityMails({ ...options, mailer });
  Object.assign(context, { clock, refusal, place, store, smtp, errors, id });
  context.happen = (event, about = '') => recordEvent(store, { account: id, event, about, actor: THIEF });
  context.stop = async () => {
    await jobs.close();
    await store.close();
    await smtp.stop();
    await place.remove();
  };
  // The mail about the key that the test has issued.
  await until(() => smtp.mails.length === 1);
  await until(() => isIdle(context));
});
mails.after.each(({ stop }) => stop());

/** Returns whether no mail is due or being sent. */
async function isIdle({ store, clock }: Context): Promise<boolean> {
  return (await readWaiting(store)).every(({ due_at }) => due_at > clock.now + MINUTE);
}

async function readWaiting(store: Store): Promise<{ due_at: number }[]> {
  return await store.all('SELECT due_at FROM mails WHERE done_at IS NULL AND failed_at IS NULL');
}

/** The mails after that about the account's first key. */
function later({ smtp }: Context) {
  return smtp.mails.slice(1);
}

mails('report a key that the operator made at once', ({ smtp }) => {
  const [mail] = smtp.mails;
  assert.equal(mail?.to, [EMAIL]);
  assert.match(mail?.subject ?? '', /^Your account: The operator made a key: gdr_[a-z2-7]{8}$/);
  assert.match(mail?.text ?? '', /- 2026-06-01 12:00 UTC: The operator made a key: gdr_/);
  assert.ok(mail?.text.includes(`revoke its keys at\n${PAGE}\n`));
});

mails('collect what happens within ten minutes, and leave nothing out', async (context) => {
  const { clock, happen } = context;
  for (let count = 0; count < 40; count++) await happen('key.made', `gdr_aaaaaa${count}`);
  await happen('webhook.set', 'example.org');
  clock.now += 10 * MINUTE - 1;
  await happen('key.revoked', 'gdr_hidden00');
  assert.equal(later(context), []);
  clock.now += 1;
  await until(() => later(context).length === 1);
  await until(() => isIdle(context));
  const [mail] = later(context);
  assert.is(mail?.subject, 'Your account: 41 events');
  assert.match(mail?.text ?? '', /You made a key: gdr_aaaaaa0, from the network 203\.0\.113\.9\n/);
  assert.match(mail?.text ?? '', /\nand 11 more\n/);
  assert.not.match(mail?.text ?? '', /webhook/, 'it is not an event that is mailed');
  clock.now += 10 * MINUTE;
  await happen('session.begun-elsewhere', 'Firefox on Linux');
  await until(() => later(context).length === 2);
  assert.is(later(context)[1]?.subject, 'Your account: You signed in from a new network: Firefox on Linux');
});

mails('are limited, however often somebody does something', async (context) => {
  const { clock, happen } = context;
  const end = clock.now + 24 * 60 * MINUTE;
  let sent = 0;
  for (; clock.now < end; clock.now += 10 * MINUTE) {
    await happen('key.made', 'gdr_aaaaaaaa');
    await until(() => isIdle(context));
    sent = later(context).length;
  }
  assert.ok(sent > 20 && sent <= 30, `${sent} mails in a day`);
});

mails('are retried when the mail server is down, and given up when it refuses', async (context) => {
  const { clock, happen, refusal, errors, store } = context;
  clock.now += 10 * MINUTE;
  refusal.code = 451;
  await happen('webhook.disabled', 'example.org');
  await until(() => errors.length === 1);
  assert.not.match(errors[0] ?? '', /@example/);
  refusal.code = undefined;
  await until(async () => {
    clock.now += MINUTE;
    return later(context).length === 1;
  });
  // The time of the next mail depends on when this one is settled, which is after it arrived.
  await until(() => isIdle(context));
  refusal.code = 550;
  clock.now += 10 * MINUTE;
  await happen('key.revoked', 'gdr_aaaaaaaa');
  await until(() => errors.length === 2);
  await until(async () => (await readWaiting(store)).length === 0);
});

mails('are not sent about a deleted account', async (context) => {
  const { clock, happen, store } = context;
  await happen('key.made', 'gdr_aaaaaaaa');
  await deleteAccount(store, EMAIL);
  clock.now += 10 * MINUTE;
  await until(async () => (await readWaiting(store)).length === 0);
  assert.equal(later(context), []);
});

mails.run();

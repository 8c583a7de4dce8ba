import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogFields } from '../../../gateway/http/log.ts';
import {
  createOutbox,
  createSmtpMailer,
  type Mailer,
  type MailFailure,
  openMailer,
} from '../../../gateway/people/mailer.ts';
import { readPeopleSettings } from '../../../gateway/people/people.ts';
import { CommandError } from '../../../scripts/system.ts';
import { QUIET } from '../../support/quiet.ts';
import { until } from '../../support/until.ts';
import { readMail, startSmtp } from './smtp-server.ts';
import { makeFolder } from '../../support/fixtures.ts';
import { listen } from '../../support/listen.ts';

const mailers = suite('mailers');

const FROM = 'Game Data <keys@example.org>';
const LINK = `https://${'a-long-host-name.'.repeat(5)}example.org/signup/key?token=${'x'.repeat(31)}`;
const MAIL = { to: 'ada@example.org', subject: 'Your key', text: `Hello,\n\n${LINK}\n\nBye.\n` };

async function failureOf(mailer: Mailer, mail = MAIL): Promise<Partial<MailFailure>> {
  const failure = (await mailer.send(mail)) ?? {};
  assert.not.match(JSON.stringify(failure), /ada@example\.org|\\n|secret/);
  return failure;
}

mailers('the server receives the complete mail, for one recipient', async () => {
  const smtp = await startSmtp();
  await createSmtpMailer(smtp.url, FROM).send(MAIL);
  const [mail] = smtp.mails;
  assert.equal([mail?.from, mail?.to, mail?.subject], ['keys@example.org', ['ada@example.org'], 'Your key']);
  assert.is(mail?.text.trim(), MAIL.text.trim());
  assert.match(mail?.source ?? '', /^From: Game Data <keys@example\.org>\r$/m);
  assert.match(mail?.source ?? '', /^Auto-Submitted: auto-generated\r$/m);
});

mailers('a permanently refused recipient fails as refused, a temporary error as unavailable', async () => {
  const codes: Record<string, number> = { 'gone@example.org': 550, 'full@example.org': 452 };
  const smtp = await startSmtp((address) => codes[address]);
  const mailer = createSmtpMailer(smtp.url, FROM);
  assert.is((await failureOf(mailer, { ...MAIL, to: 'gone@example.org' })).failure, 'refused');
  assert.is((await failureOf(mailer, { ...MAIL, to: 'full@example.org' })).failure, 'unavailable');
  await mailer.send(MAIL);
  assert.is(smtp.mails.length, 1);
});

mailers('email addresses and links that the server quotes stay out of the error', async () => {
  const reply = `spam: ${LINK} for <ADA@Example.ORG>, rcpt=Ada@example.org`;
  const smtp = await startSmtp(undefined, {
    onData: (stream, _session, done) =>
      void stream.on('end', () => done(Object.assign(new Error(reply), { responseCode: 554 }))).resume(),
  });
  const { error = '' } = await failureOf(createSmtpMailer(smtp.url, FROM));
  assert.match(error, /554 spam: … for <…>/);
  assert.not.match(error, /ada|token/i);
});

mailers('a silent server fails as unavailable, one that is down as unreached', async () => {
  const silent = createServer();
  const url = (await listen(silent)).replace('http', 'smtp');
  const sockets = new Set<{ destroy(): void }>();
  silent.on('connection', (socket) => void sockets.add(socket));
  const mailer = createSmtpMailer(url, FROM, 300);
  const failures = await Promise.all(Array.from({ length: 30 }, () => failureOf(mailer)));
  assert.ok(failures.every(({ failure }) => failure === 'unavailable'));
  assert.ok(sockets.size > 0);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
  assert.is((await failureOf(createSmtpMailer(url, FROM))).failure, 'unreached');
});

mailers('the mailer logs in as the user in the URL, and the password stays out of errors', async () => {
  const smtp = await startSmtp(undefined, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'mail er' && password === 'top:secret'
        ? done(null, { user: 'mailer' })
        : done(new Error(`wrong: ${password}`)),
  });
  const address = smtp.url.replace('smtp://', '');
  await createSmtpMailer(`smtp://mail%20er:top%3Asecret@${address}`, FROM).send(MAIL);
  assert.is(smtp.mails.length, 1);
  const wrong = createSmtpMailer(`smtp://mailer:wrongword@${address}`, FROM);
  const { failure } = await failureOf(wrong);
  assert.is(failure, 'unreached');
});

mailers('a visitor’s mail does not wait for alerts that wait for the server', async () => {
  const held: (() => void)[] = [];
  const smtp = await startSmtp(undefined, {
    onRcptTo: ({ address }, _session, done) => void (address === MAIL.to ? done() : held.push(() => done())),
  });
  Object.assign(process.env, { SMTP_URL: smtp.url, MAIL_FROM: FROM });
  const settings = readPeopleSettings({ host: '127.0.0.1', dev: true } as never, QUIET);
  const alert = { ...MAIL, to: 'alert@example.org' };
  const alerts = Array.from({ length: 16 }, () => settings.mailer?.send(alert));
  await until(() => held.length === 16);
  const sent = settings.accountMailer?.send(MAIL).then(() => 'sent');
  assert.is(await Promise.race([sent, ...alerts]), 'sent');
  for (const release of held) release();
  await Promise.all(alerts);
});

mailers(
  'in development a mail is written to a file that only its owner may read, and the file is logged',
  async () => {
    const folder = await makeFolder('outbox');
    const logged: LogFields[] = [];
    const log = { ...QUIET, info: (_: string, fields: LogFields = {}) => void logged.push(fields) };
    const outbox = createOutbox(path.join(folder, 'var', 'outbox'), { now: () => 0, log });
    for (let count = 0; count < 2; count++) await outbox.send(MAIL);
    assert.is(logged.length, 2);
    const [{ file = '' } = {}] = logged;
    const mail = readMail(await readFile(String(file), 'utf8'));
    assert.equal([mail.subject, mail.text.trim()], ['Your key', MAIL.text.trim()]);
    assert.is((await stat(String(file))).mode & 0o777, 0o600);
    const files = await readdir(path.join(folder, 'var', 'outbox'));
    assert.equal([files.length, files.every((name) => name.endsWith('.eml'))], [2, true]);
  },
);

mailers('the environment chooses the mailer, and errors do not quote the password', () => {
  const open = (env: NodeJS.ProcessEnv, hasOutbox = true) =>
    openMailer(env, { hasOutbox, now: Date.now, log: QUIET });
  assert.ok(open({}));
  assert.ok(open({ SMTP_URL: 'smtps://u:p@mail.example.org', MAIL_FROM: FROM }, false));
  assert.is(open({}, false), undefined);
  assert.ok(open({ NODE_ENV: 'production' }));
  const WRONG: NodeJS.ProcessEnv[] = [
    { SMTP_URL: 'mail.example.org', MAIL_FROM: FROM },
    { SMTP_URL: 'https://u:secret@mail.example.org', MAIL_FROM: FROM },
    { SMTP_URL: 'smtp://', MAIL_FROM: FROM },
    { SMTP_URL: 'smtp://u:secret@mail.example.org' },
    { SMTP_URL: 'smtp://mail.example.org', MAIL_FROM: 'Game Data' },
    { SMTP_URL: 'smtp://mail.example.org', MAIL_FROM: 'a@example.org, b@example.org' },
  ];
  for (const env of WRONG)
    assert.throws(
      () => open(env),
      (error: unknown) =>
        error instanceof CommandError && error.exitCode === 2 && !error.message.includes('secret'),
    );
});

mailers.run();

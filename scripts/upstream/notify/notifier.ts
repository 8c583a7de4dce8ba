import { CommandError } from '../../lib/command-error.ts';
import { hidePrivate } from '../../notices/hide-private.ts';
import { isWebhookSecret } from '../../notices/webhook-signature.ts';
import { makeEvent, makeMail, type Notice } from './notice.ts';
import { findChat } from './chat.ts';
import { post, postNotice } from './webhook.ts';

/** Where notices go. */
export interface NotifierOptions {
  /** The address that gets a post. */
  webhook?: string | undefined;
  /** The email address that gets a mail. */
  mail?: string | undefined;
}

/** Sends a notice in every way that is set. Returns why it was not delivered, one text for each way that failed. */
export type Notify = (notice: Notice, at: string) => Promise<string[]>;

/**
 * Makes the function that sends notices. The secrets come from the environment.
 *
 * @throws CommandError if a setting is missing or not valid
 */
export function createNotifier({ webhook, mail }: NotifierOptions, env: NodeJS.ProcessEnv): Notify {
  const hook = webhook === undefined ? undefined : readHook(webhook, env);
  const smtp = mail === undefined ? undefined : readSmtp(env);
  return async (notice, at) => {
    const ways = [hook?.(notice, at), smtp && mail !== undefined && sendByMail(smtp, notice, mail)];
    const ended = await Promise.allSettled(ways);
    return ended.flatMap((each) => (each.status === 'rejected' ? describeFailure(each.reason) : []));
  };
}

/** nodemailer takes long to load, and most runs send nothing. */
async function sendByMail(smtp: { url: string; from: string }, notice: Notice, to: string): Promise<void> {
  const { sendMail } = await import('./mail.ts');
  await sendMail(smtp, makeMail(notice, to));
}

function readHook(
  url: string,
  { GAMEDATA_WEBHOOK_SECRET: secret }: NodeJS.ProcessEnv,
): (notice: Notice, at: string) => Promise<void> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isLocal = parsed && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname);
  if (!parsed || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLocal)))
    throw new CommandError(`--webhook ${url}: expected an https:// address, or http:// of this machine`, 2);
  const chat = findChat(url);
  if (chat) return (notice) => post(url, JSON.stringify(chat(notice)));
  if (secret !== undefined && isWebhookSecret(secret))
    return (notice, at) => postNotice({ url, secret }, makeEvent(notice, at), Date.now());
  throw new CommandError(
    'GAMEDATA_WEBHOOK_SECRET: expected the secret that signs posts, whsec_ and the Base64 of 24 to 96 random bytes, such as from: echo whsec_$(openssl rand -base64 32)',
    2,
  );
}

function readSmtp({ SMTP_URL: url, MAIL_FROM: from }: NodeJS.ProcessEnv) {
  const isValid = url !== undefined && URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol);
  if (isValid && from) return { url, from };
  // The address may hold a password, so it is not shown.
  throw new CommandError('--mail needs SMTP_URL (smtps://user:password@host) and MAIL_FROM (the sender)', 2);
}

/** Without email addresses and links, which must not be logged. */
function describeFailure(reason: unknown): string {
  const { message, cause } = reason instanceof Error ? reason : new Error(String(reason));
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return hidePrivate(why);
}

import { Argument, Command, Option } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import { type Attempt, type ChannelName, listAttempts } from '../alerts/attempts.ts';
import type { ChatHook } from '../alerts/channels/chat-hook.ts';
import { CHANNELS, channelsOf, isOn, sendAgain, sendTest } from '../alerts/delivery.ts';
import { feedPath } from '../alerts/events/feed.ts';
import * as settings from '../alerts/settings.ts';
import { findSubscription, type Subscription } from '../alerts/subscription.ts';
import { OPERATOR } from '../../store/audit.ts';
import { type Account, tierAt } from '../../access/account.ts';
import { withAccount } from './account-command.ts';
import { addChatCommands } from './alerts-chat.ts';
import { addWebhookCommands } from './alerts-webhook.ts';
import { parsePublicUrl } from '../../commands/strict-mode.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  parseEmail,
  print,
  type StoreOptions,
} from '../../commands/store-command.ts';

interface TestOptions extends StoreOptions {
  channel?: ChannelName;
}

interface FeedOptions extends StoreOptions {
  publicUrl?: string;
  off?: true;
}

/**
 * `gateway alerts`: the channels on which accounts get alerts, also while gateways run on the same store.
 *
 * @param now milliseconds since 1970
 */
export function alertsCommand(now: Clock = Date.now): Command {
  const alerts = new Command('alerts');
  addStoreOptions(alerts.command('show'))
    .description('show the channels of an account, and its last deliveries')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', EXAMPLES.show)
    .action((email: string, options: StoreOptions) => show(email, options, now));
  addWebhookCommands(alerts, now);
  addChatCommands(alerts, now);
  addStoreOptions(alerts.command('mail'))
    .description('turn alerts by mail on or off')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addArgument(new Argument('<switch>', 'whether to send mails').choices(['on', 'off']))
    .addHelpText('after', EXAMPLES.mail)
    .action((email: string, on: string, options: StoreOptions) => setMail(email, on === 'on', options));
  addStoreOptions(alerts.command('feed'))
    .description('give the Atom feed of an account a new address, and print it once')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addOption(
      new Option('--public-url <address>', 'the public URL of the gateway, with which the address begins')
        .env('GATEWAY_PUBLIC_URL')
        .argParser(parsePublicUrl),
    )
    .option('--off', 'remove the feed instead')
    .addHelpText('after', EXAMPLES.feed)
    .action((email: string, options: FeedOptions) => setFeed(email, options, now));
  addStoreOptions(alerts.command('test'))
    .description('send a test by each channel that is on')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addOption(new Option('--channel <name>', 'the only channel to test').choices(CHANNELS))
    .addHelpText('after', EXAMPLES.test)
    .action((email: string, options: TestOptions) => test(email, options, now));
  addStoreOptions(alerts.command('resend'))
    .description('send an event again that was sent before')
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument(
      '[event]',
      'the id of the event, as gateway alerts show --json prints it (default: that of the last delivery)',
    )
    .addHelpText('after', EXAMPLES.resend)
    .action((email: string, event: string | undefined, options: StoreOptions) =>
      resend(email, event, options, now),
    );
  return alerts;
}

const EXAMPLES = {
  show: `
Examples:
  gateway alerts show ada@example.org
  gateway alerts show ada@example.org --json`,
  mail: `
Examples:
  gateway alerts mail ada@example.org on`,
  feed: `
Anyone who knows the address can read the feed. The previous address stops working.

Examples:
  gateway alerts feed ada@example.org --public-url https://api.example.org
  gateway alerts feed ada@example.org --off`,
  test: `
A running gateway sends it within a second; gateway alerts show prints the outcome.

Examples:
  gateway alerts test ada@example.org
  gateway alerts test ada@example.org --channel discord`,
  resend: `
The receiver gets the same id again, by the same channel. A running gateway sends it within a second.

Examples:
  gateway alerts resend ada@example.org
  gateway alerts resend ada@example.org ed72d060-6ba0-8284-b85f-e33a0d595a40`,
};

async function show(email: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const { account, subscription, attempts } = await withAccount(store, email, async (opened, account) => ({
    account,
    subscription: await findSubscription(opened, account.id),
    attempts: await listAttempts(opened, account.id),
  }));
  const report = describeSubscription(account, subscription, now());
  if (json) return print(JSON.stringify({ ...report, deliveries: attempts }));
  const { webhook, disabled, discord, slack, follows, ...rest } = report;
  const rows = Object.entries({
    ...rest,
    follows: follows.join(' ') || '-',
    webhook: webhook ?? '-',
    ...(disabled && { disabled: describeEnd(disabled) }),
    discord: describeChat(discord),
    slack: describeChat(slack),
  }).map(([name, value]) => [name, String(value)]);
  print(`${formatTable(rows)}\n\n${formatTable([DELIVERY_HEAD, ...attempts.map(describeAttempt)])}`);
}

function describeSubscription(
  account: Account,
  { follows, webhook, discord, slack, mail, feed }: Subscription,
  now: number,
) {
  return {
    email: account.email,
    tier: tierAt(account, now),
    follows,
    webhook: webhook?.url ?? null,
    disabled: webhook?.disabled ?? null,
    discord: discord && reportChat(discord),
    slack: slack && reportChat(slack),
    mail: mail ? 'on' : 'off',
    feed: feed === null ? 'off' : 'on',
  };
}

function reportChat({ shown, disabled }: ChatHook) {
  return { address: shown, disabled };
}

function describeChat(chat: ReturnType<typeof reportChat> | null): string {
  if (!chat) return '-';
  return chat.disabled ? `${chat.address}, disabled since ${describeEnd(chat.disabled)}` : chat.address;
}

function describeEnd({ at, reason }: NonNullable<ChatHook['disabled']>): string {
  return `${at}, ${reason}`;
}

const DELIVERY_HEAD = ['delivery', 'by', 'event', 'game', 'build', 'attempt', 'outcome', 'next', 'detail'];

function describeAttempt({ at, channel, event, attempt, outcome, detail, next_at }: Attempt): string[] {
  const { type, game, build } = event;
  return [at, channel, type, game, build, String(attempt), outcome, next_at ?? '-', detail];
}

async function setMail(email: string, mail: boolean, { store, json }: StoreOptions): Promise<void> {
  await withAccount(store, email, (opened, { id }) => settings.setMail(opened, id, mail));
  const state = mail ? 'on' : 'off';
  print(json ? JSON.stringify({ email, mail: state }) : `alerts by mail to ${email} are ${state}`);
}

async function setFeed(
  email: string,
  { store, json, publicUrl = '', off }: FeedOptions,
  now: Clock,
): Promise<void> {
  const by = { actor: OPERATOR, now: now() };
  if (off) {
    await withAccount(store, email, (opened, { id }) => settings.removeFeed(opened, id, by));
    return print(json ? JSON.stringify({ email, feed: null }) : `${email} no longer has a feed`);
  }
  const token = await withAccount(store, email, (opened, { id }) => settings.renewFeed(opened, id, by));
  const address = publicUrl + feedPath(token);
  if (json) return print(JSON.stringify({ email, feed: address }));
  print(
    `${address}\n\nThe address of the feed of ${email}. It is not shown again; an earlier address no longer works.`,
  );
}

async function test(email: string, { store, json, channel }: TestOptions, now: Clock): Promise<void> {
  const channels = await withAccount(store, email, async (opened, account) => {
    if (tierAt(account, now()) !== 'pro')
      throw new CommandError(`${email} is not Pro; only Pro accounts get alerts`);
    const on = channelsOf(await findSubscription(opened, account.id));
    const used = on.filter((each) => channel === undefined || each === channel);
    for (const each of used) await sendTest(opened, account.id, each, now());
    return used;
  });
  if (channels.length === 0) {
    throw new CommandError(
      `${channel ?? 'each channel'} of ${email} is off or disabled; gateway alerts webhook, discord, slack and mail turn one on`,
    );
  }
  if (json) return print(JSON.stringify({ email, channels }));
  print(
    `a test by ${channels.join(' and ')} is queued: a running gateway sends it within a second, and gateway alerts show prints the outcome`,
  );
}

async function resend(
  email: string,
  event: string | undefined,
  { store, json }: StoreOptions,
  now: Clock,
): Promise<void> {
  const sent = await withAccount(store, email, async (opened, account) => {
    const attempts = await listAttempts(opened, account.id);
    const attempt = attempts.find(
      (each) => hasPosition(each) && (event === undefined || each.event.id === event),
    );
    if (!attempt || !hasPosition(attempt))
      throw new CommandError(
        `${email} has no such delivery; gateway alerts show --json prints the last ones`,
      );
    const subscription = await findSubscription(opened, account.id);
    if (tierAt(account, now()) !== 'pro' || !isOn(subscription, attempt.channel))
      throw new CommandError(`${email} is not Pro, or has turned off the channel of that delivery`);
    await sendAgain(opened, account.id, attempt, now());
    return attempt;
  });
  const { channel, event: again } = sent;
  if (json) return print(JSON.stringify({ email, channel, event: again }));
  print(`${again.type} of ${again.game} ${again.build} by ${channel} is queued again`);
}

function hasPosition(attempt: Attempt): attempt is Attempt & { position: number } {
  return typeof attempt.position === 'number';
}

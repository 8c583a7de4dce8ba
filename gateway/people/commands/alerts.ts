import { Argument, Command, Option } from 'commander';
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, tierAt } from '../../access/account.ts';
import { devOption, parsePublicUrl } from '../../commands/settings.ts';
import {
  addStoreOptions,
  type Clock,
  formatTable,
  parseEmail,
  print,
  type StoreOptions,
} from '../../commands/store.ts';
import { InputError } from '../../http/problem.ts';
import { OPERATOR } from '../../store/audit.ts';
import type { Store } from '../../store/sql.ts';
import { type Attempt, listAttempts, sendTest } from '../alerts/deliver.ts';
import { feedPath } from '../alerts/feed.ts';
import { AddressError } from '../alerts/post.ts';
import * as alerts from '../alerts/subscription.ts';
import { withAccount } from './accounts.ts';

interface HookOptions extends StoreOptions {
  newSecret?: true;
  endEarlierSecret?: true;
  enable?: true;
  off?: true;
  dev?: boolean;
}

interface TestOptions extends StoreOptions {
  channel?: alerts.ChannelName;
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
  const command = new Command('alerts');
  addStoreOptions(command.command('show'))
    .description('show the channels of an account, and its last deliveries')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addHelpText('after', EXAMPLES.show)
    .action((email: string, options: StoreOptions) => show(email, options, now));
  addStoreOptions(command.command('webhook'))
    .description('set the address of the webhook, and print the secret that signs events')
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('[url]', 'https://…; an existing secret is kept; one of Discord or Slack is recognised')
    .option('--new-secret', 'sign with a new secret from now on; the earlier one is valid for another day')
    .option('--end-earlier-secret', 'end the earlier secret now')
    .option('--enable', 'enable a webhook that was disabled because it responded 410 Gone')
    .option('--off', 'remove the webhook')
    .addOption(devOption())
    .addHelpText('after', EXAMPLES.webhook)
    .action((email: string, url: string | undefined, options: HookOptions) =>
      setHook('webhook', email, url, options),
    );
  for (const service of ['discord', 'slack'] as const) {
    const { label } = alerts.CHATS[service];
    addStoreOptions(command.command(service))
      .description(`set the webhook of ${label} that gets a message for each event`)
      .argument('<email>', 'the email address of the account', parseEmail)
      .argument('[url]', `the address of the webhook, as ${label} shows it`)
      .option('--enable', `enable it again after ${label} responded that it was removed`)
      .option('--off', 'remove it')
      .addHelpText('after', EXAMPLES[service])
      .action((email: string, url: string | undefined, options: HookOptions) =>
        setHook(service, email, url, options),
      );
  }
  addStoreOptions(command.command('mail'))
    .description('turn alerts by mail on or off')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addArgument(new Argument('<switch>', 'whether to send mails').choices(['on', 'off']))
    .addHelpText('after', EXAMPLES.mail)
    .action((email: string, on: string, options: StoreOptions) => setMail(email, on === 'on', options));
  addStoreOptions(command.command('feed'))
    .description('give the Atom feed of an account a new address, and print it once')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addOption(
      new Option('--public-url <address>', 'the public URL of the gateway, with which the address begins')
        .env('GATEWAY_PUBLIC_URL')
        .argParser(parsePublicUrl),
    )
    .option('--off', 'remove the feed instead')
    .addHelpText('after', EXAMPLES.feed)
    .action((email: string, options: FeedOptions) => setFeed(email, options));
  addStoreOptions(command.command('test'))
    .description('send a test by each channel that is on')
    .argument('<email>', 'the email address of the account', parseEmail)
    .addOption(new Option('--channel <name>', 'the only channel to test').choices(alerts.CHANNELS))
    .addHelpText('after', EXAMPLES.test)
    .action((email: string, options: TestOptions) => test(email, options, now));
  return command;
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
  webhook: `
Events are signed as Standard Webhooks describes (https://www.standardwebhooks.com).

Examples:
  gateway alerts webhook ada@example.org https://ada.example.org/hooks/games
  gateway alerts webhook ada@example.org --new-secret
  gateway alerts webhook ada@example.org --end-earlier-secret
  gateway alerts webhook ada@example.org --enable
  gateway alerts webhook ada@example.org --off`,
  discord: `
The address ends with a secret, which is not shown again.

Examples:
  gateway alerts discord ada@example.org https://discord.com/api/webhooks/1234/token
  gateway alerts discord ada@example.org --enable
  gateway alerts discord ada@example.org --off`,
  slack: `
The address ends with a secret, which is not shown again.

Examples:
  gateway alerts slack ada@example.org https://hooks.slack.com/services/T1/B2/token
  gateway alerts slack ada@example.org --enable
  gateway alerts slack ada@example.org --off`,
};

async function show(email: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const { account, subscription, attempts } = await withAccount(store, email, async (opened, account) => ({
    account,
    subscription: await alerts.readSubscription(opened, account.id),
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
  { follows, hooks, mail, feed }: alerts.Subscription,
  now: number,
) {
  const { webhook, discord, slack } = hooks;
  return {
    email: account.email,
    tier: tierAt(account, now),
    follows,
    webhook: webhook?.shown ?? null,
    disabled: webhook?.disabled ?? null,
    discord: reportChat(discord),
    slack: reportChat(slack),
    mail: mail ? 'on' : 'off',
    feed: feed === null ? 'off' : 'on',
  };
}

function reportChat(hook: alerts.Hook | undefined) {
  return hook ? { address: hook.shown, disabled: hook.disabled } : null;
}

function describeChat(chat: ReturnType<typeof reportChat>): string {
  if (!chat) return '-';
  return chat.disabled ? `${chat.address}, disabled since ${describeEnd(chat.disabled)}` : chat.address;
}

function describeEnd({ at, reason }: NonNullable<alerts.Hook['disabled']>): string {
  return `${at}, ${reason}`;
}

const DELIVERY_HEAD = ['delivery', 'by', 'event', 'game', 'build', 'attempt', 'outcome', 'next', 'detail'];

function describeAttempt({ at, channel, event, attempt, outcome, detail, next_at }: Attempt): string[] {
  const { type, game, build } = event;
  return [at, channel, type, game, build, String(attempt), outcome, next_at ?? '-', detail];
}

async function setHook(
  channel: alerts.PostChannel,
  email: string,
  url: string | undefined,
  options: HookOptions,
): Promise<void> {
  const { store, json, newSecret, endEarlierSecret, enable, off, dev = false } = options;
  const chosen = {
    ...{ address: url, enable, remove: off, secret: newSecret, 'end-earlier': endEarlierSecret },
  };
  const [what, ...more] = keysOf(chosen).filter((name) => chosen[name] !== undefined);
  if (what === undefined || more.length > 0) {
    const others = channel === 'webhook' ? '--new-secret, --end-earlier-secret, ' : '';
    throw new CommandError(`expected one of: an address, ${others}--enable, --off`, 2);
  }
  const apply = async (opened: Store, { id }: Account) => {
    const actor = OPERATOR;
    const setting = { channel, policy: { isStrict: !dev }, actor };
    const set = url === undefined ? channel : await alerts.setAddress(opened, id, url, setting);
    if (what !== 'address') await alerts.changeHook(opened, id, { channel, what, actor });
    const { hooks } = await alerts.readSubscription(opened, id);
    return { set, shown: hooks[set]?.shown, secrets: await alerts.readSecrets(opened, id) };
  };
  const { set, shown, secrets } = await withAccount(store, email, apply).catch((error: unknown) => {
    if (error instanceof AddressError)
      throw new CommandError(`webhooks cannot be sent to this address: ${error.message}`, 2);
    throw error instanceof InputError ? new CommandError(error.message) : error;
  });
  if (shown === undefined) {
    const text =
      channel === 'webhook'
        ? `${email} no longer has a webhook`
        : `${alerts.CHATS[channel].label} no longer gets messages for ${email}`;
    return print(json ? JSON.stringify({ email, [channel]: null }) : text);
  }
  if (set === 'webhook') printWebhook(email, shown, secrets, json);
  else printChat(email, set, shown, json);
}

function printChat(email: string, channel: alerts.ChatService, shown: string, json: true | undefined): void {
  const where = `${alerts.CHATS[channel].label} gets a message for each event of ${email}, at ${shown}`;
  print(
    json
      ? JSON.stringify({ email, channel, [channel]: shown })
      : `${where}\ngateway alerts test sends a test.`,
  );
}

function printWebhook(
  email: string,
  url: string,
  secrets: alerts.WebhookSecrets | undefined,
  json: true | undefined,
): void {
  const secret = secrets?.current;
  const until = secrets?.earlier?.until;
  if (json) {
    const earlier = until === undefined ? {} : { earlier_secret_until: until };
    print(JSON.stringify({ email, webhook: url, secret, ...earlier }));
    return;
  }
  print(
    `${secret}\n\nThe secret that signs events to ${url} for ${email}.` +
      (until ? `\nThe earlier secret is valid until ${until}: events are signed with both.` : '') +
      '\ngateway alerts test sends a test.',
  );
}

async function setMail(email: string, mail: boolean, { store, json }: StoreOptions): Promise<void> {
  await withAccount(store, email, (opened, { id }) => alerts.setMail(opened, id, mail));
  const state = mail ? 'on' : 'off';
  print(json ? JSON.stringify({ email, mail: state }) : `alerts by mail to ${email} are ${state}`);
}

async function setFeed(email: string, { store, json, publicUrl = '', off }: FeedOptions): Promise<void> {
  if (off) {
    await withAccount(store, email, (opened, { id }) => alerts.removeFeed(opened, id, OPERATOR));
    return print(json ? JSON.stringify({ email, feed: null }) : `${email} no longer has a feed`);
  }
  const token = await withAccount(store, email, (opened, { id }) => alerts.renewFeed(opened, id, OPERATOR));
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
    const on = alerts.channelsOf(await alerts.readSubscription(opened, account.id));
    const used = on.filter((each) => channel === undefined || each === channel);
    for (const each of used) await sendTest(opened, account.id, each);
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

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, tierAt } from '../../access/account.ts';
import { settingOption } from '../../commands/settings.ts';
import { type Clock, formatTable, print, type StoreOptions } from '../../commands/store.ts';
import { DistError, readIndex } from '../../data/dist-files.ts';
import { quote, suggest } from '../../http/problem.ts';
import { OPERATOR } from '../../store/audit.ts';
import type { Store } from '../../store/sql.ts';
import * as alerts from '../alerts/channels.ts';
import { listAttempts, sendTest } from '../alerts/deliver.ts';
import { feedPath } from '../alerts/feed.ts';
import { AddressError } from '../alerts/post.ts';
import { onAccount, withAccount } from './accounts.ts';

interface HookOptions extends StoreOptions {
  newSecret?: true;
  endEarlierSecret?: true;
  enable?: true;
  off?: true;
  dev?: boolean;
}

/** `gateway alerts`: the channels on which accounts get alerts, also while gateways run on the same store. @param now ms since 1970 */
export function alertsCommand(now: Clock = Date.now): Command {
  const command = new Command('alerts');
  onAccount(
    command,
    'show',
    'show the channels of an account, and its last deliveries',
    `
Examples:
  gateway alerts show ada@example.org
  gateway alerts show ada@example.org --json`,
  ).action((email: string, options: StoreOptions) => show(email, options, now));
  onAccount(
    command,
    'webhook',
    'set the address of the webhook, and print the secret that signs events',
    `
Events are signed as Standard Webhooks describes (https://www.standardwebhooks.com).

Examples:
  gateway alerts webhook ada@example.org https://ada.example.org/hooks/games
  gateway alerts webhook ada@example.org --new-secret
  gateway alerts webhook ada@example.org --end-earlier-secret
  gateway alerts webhook ada@example.org --enable
  gateway alerts webhook ada@example.org --off`,
  )
    .argument('[url]', 'https://…; an existing secret is kept; one of a chat service is recognised')
    .option('--new-secret', 'sign with a new secret from now on; the earlier one is valid for another day')
    .option('--end-earlier-secret', 'end the earlier secret now')
    .option('--enable', 'enable a webhook that was disabled because it responded 410 Gone')
    .option('--off', 'remove the webhook')
    .addOption(settingOption('dev'))
    .action((email: string, url: string | undefined, options: HookOptions) =>
      setHook('webhook', email, url, options),
    );
  for (const service of alerts.SERVICES) {
    const { label, begins } = alerts.CHATS[service];
    onAccount(
      command,
      service,
      `set the address at ${label} that gets a message for each event`,
      `
The address contains a secret, which is not shown again.

Examples:
  gateway alerts ${service} ada@example.org ${begins}…
  gateway alerts ${service} ada@example.org --enable
  gateway alerts ${service} ada@example.org --off`,
    )
      .argument('[url]', `the address that messages are posted to, ${begins}…`)
      .option('--enable', `enable it again after ${label} responded that it was removed`)
      .option('--off', 'remove it')
      .action((email: string, url: string | undefined, options: HookOptions) =>
        setHook(service, email, url, options),
      );
  }
  onAccount(
    command,
    'mail',
    'turn alerts by mail on or off',
    '\nExamples:\n  gateway alerts mail ada@example.org on',
  )
    .addArgument(new Argument('<switch>', 'whether to send mails').choices(['on', 'off']))
    .action(setMail);
  onAccount(
    command,
    'feed',
    'give the Atom feed of an account a new address, and print it once',
    `
Anyone who knows the address can read the feed. The previous address stops working.

Examples:
  gateway alerts feed ada@example.org --public-url https://api.example.org
  gateway alerts feed ada@example.org --off`,
  )
    .addOption(settingOption('publicUrl'))
    .option('--off', 'remove the feed instead')
    .action(setFeed);
  onAccount(
    command,
    'test',
    'send a test by each channel that is on',
    `
A running gateway sends it within a second; gateway alerts show prints the outcome.

Examples:
  gateway alerts test ada@example.org
  gateway alerts test ada@example.org --channel discord`,
  )
    .addOption(new Option('--channel <name>', 'the only channel to test').choices(alerts.CHANNELS))
    .action((email: string, options: TestOptions) => test(email, options, now));
  return command;
}

interface TestOptions extends StoreOptions {
  channel?: alerts.ChannelName;
}

async function show(email: string, { store, json }: StoreOptions, now: Clock): Promise<void> {
  const found = await withAccount(store, email, async (opened, account) => ({
    account,
    subscription: await alerts.readSubscription(opened, account.id),
    attempts: await listAttempts(opened, account.id),
  }));
  const { account, subscription, attempts } = found;
  const { follows, hooks, mail, feed } = subscription;
  const head = { email: account.email, tier: tierAt(account, now()) };
  const rest = { mail: mail ? 'on' : 'off', feed: feed ? 'on' : 'off' };
  if (json) {
    const { webhook } = hooks;
    const chats = alerts.SERVICES.map((service) => {
      const hook = hooks[service];
      return [service, hook ? { address: hook.shown, disabled: hook.disabled } : null];
    });
    const main = { webhook: webhook?.shown ?? null, disabled: webhook?.disabled ?? null };
    return print(
      JSON.stringify({
        ...{ ...head, follows, ...main, ...Object.fromEntries(chats), ...rest },
        deliveries: attempts,
      }),
    );
  }
  const describeHook = (hook: alerts.Hook | undefined) => {
    if (!hook?.disabled) return hook?.shown ?? '-';
    return `${hook.shown}, disabled since ${hook.disabled.at}, ${hook.disabled.reason}`;
  };
  const channels = alerts.POST_CHANNELS.map((channel) => [channel, describeHook(hooks[channel])]);
  const rows = [
    ...Object.entries({ ...head, ...rest, follows: follows.join(' ') || '-' }),
    ...channels,
  ] as string[][];
  const deliveries = attempts.map(({ at, channel, event, attempt, outcome, detail, next_at }) => [
    ...[at, channel, event.type, event.game, event.build, String(attempt), outcome, next_at ?? '-', detail],
  ]);
  const title = ['delivery', 'by', 'event', 'game', 'build', 'attempt', 'outcome', 'next', 'detail'];
  print(`${formatTable(rows)}\n\n${formatTable([title, ...deliveries])}`);
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
    const setting = { channel, policy: { isStrict: !dev }, actor: OPERATOR };
    const set = url === undefined ? channel : await alerts.setAddress(opened, id, url, setting);
    if (what !== 'address') await alerts.changeHook(opened, id, { channel, what, actor: OPERATOR });
    const { hooks } = await alerts.readSubscription(opened, id);
    return { set, shown: hooks[set]?.shown, secrets: await alerts.readSecrets(opened, id) };
  };
  const { set, shown, secrets } = await withAccount(store, email, apply).catch((error: unknown) => {
    throw error instanceof AddressError ? new CommandError(error.message, 2) : error;
  });
  const label = set === 'webhook' ? '' : alerts.CHATS[set].label;
  if (shown === undefined) {
    const text =
      set === 'webhook'
        ? `${email} no longer has a webhook`
        : `${label} no longer gets messages for ${email}`;
    return print(json ? JSON.stringify({ email, [channel]: null }) : text);
  }
  const hint = 'gateway alerts test sends a test.';
  if (set !== 'webhook')
    return print(
      json
        ? JSON.stringify({ email, channel: set, [set]: shown })
        : `${label} gets a message for each event of ${email}, at ${shown}\n${hint}`,
    );
  const secret = secrets?.current;
  const until = secrets?.earlier?.until;
  if (json)
    return print(
      JSON.stringify({ email, webhook: shown, secret, ...(until && { earlier_secret_until: until }) }),
    );
  const earlier = until ? `\nThe earlier secret is valid until ${until}: events are signed with both.` : '';
  print(`${secret}\n\nThe secret that signs events to ${shown} for ${email}.${earlier}\n${hint}`);
}

async function setMail(email: string, state: string, { store, json }: StoreOptions): Promise<void> {
  await withAccount(store, email, (opened, { id }) => alerts.setMail(opened, id, state === 'on'));
  print(json ? JSON.stringify({ email, mail: state }) : `alerts by mail to ${email} are ${state}`);
}

async function setFeed(
  email: string,
  { store, json, publicUrl = '', off }: StoreOptions & { publicUrl?: string; off?: true },
): Promise<void> {
  if (off) {
    await withAccount(store, email, (opened, { id }) => alerts.removeFeed(opened, id, OPERATOR));
    return print(json ? JSON.stringify({ email, feed: null }) : `${email} no longer has a feed`);
  }
  const token = await withAccount(store, email, (opened, { id }) => alerts.renewFeed(opened, id, OPERATOR));
  const address = publicUrl + feedPath(token);
  const text = `${address}\n\nThe address of the feed of ${email}. It is not shown again; an earlier address no longer works.`;
  print(json ? JSON.stringify({ email, feed: address }) : text);
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
  if (channels.length === 0)
    throw new CommandError(
      `${channel ?? 'each channel'} of ${email} is off or disabled; gateway alerts ${alerts.CHANNELS.join(', ')} turn one on`,
    );
  if (json) return print(JSON.stringify({ email, channels }));
  print(
    `a test by ${channels.join(' and ')} is queued: a running gateway sends it within a second, and gateway alerts show prints the outcome`,
  );
}

/** The option of commands that check the names of games. */
export function distOption(): Option {
  return new Option(
    '--dist <folder>',
    'the folder of the games; if the gateway reads dist from elsewhere, the folder of its copy',
  )
    .env('GATEWAY_DIST')
    .default('dist');
}

const TOPICS_HELP = `slugs of games, ${alerts.ALL_GAMES}, or ${alerts.NEW_GAMES}`;

/** `gateway follows`: what accounts follow, also while gateways run on the same store. */
export function followsCommand(): Command {
  const follows = new Command('follows');
  onAccount(
    follows,
    'list',
    'list what an account follows',
    '\nExamples:\n  gateway follows list ada@example.org --json',
  ).action((email: string, options: StoreOptions) => changeFollows(email, {}, options));
  onAccount(
    follows,
    'add',
    'add games that an account follows: while it is Pro, it gets alerts for new builds and corrections',
    `
gateway alerts sets the channels.

Examples:
  gateway follows add ada@example.org genshin-impact arknights
  gateway follows add ada@example.org new_games                  every new game, but not its later builds
  gateway follows add ada@example.org all_games                  everything`,
  )
    .argument('<topics...>', TOPICS_HELP, collectTopics)
    .addOption(distOption())
    .action(async (email: string, add: alerts.Topic[], options: StoreOptions & { dist: string }) => {
      await refuseUnknown(add, options.dist);
      await changeFollows(email, { add }, options);
    });
  onAccount(
    follows,
    'remove',
    'remove games that an account follows',
    '\nExamples:\n  gateway follows remove ada@example.org arknights',
  )
    .argument('<topics...>', TOPICS_HELP, collectTopics)
    .action((email: string, remove: alerts.Topic[], options: StoreOptions) =>
      changeFollows(email, { remove }, options),
    );
  return follows;
}

async function changeFollows(
  email: string,
  { add = [], remove = [] }: { add?: alerts.Topic[]; remove?: alerts.Topic[] },
  { store, json }: StoreOptions,
): Promise<void> {
  const follows = await withAccount(store, email, (opened, { id }) =>
    alerts.changeFollows(opened, id, { add, remove }),
  );
  const lines = follows.length === 0 ? `${email} follows nothing` : follows.join('\n');
  print(json ? JSON.stringify({ email, follows }) : lines);
}

/** Refuses slugs that do not exist, of which a typing error would never be noticed. @throws CommandError */
async function refuseUnknown(topics: readonly alerts.Topic[], dist: string): Promise<void> {
  const slugs = topics.filter((topic) => topic !== alerts.ALL_GAMES && topic !== alerts.NEW_GAMES);
  if (slugs.length === 0) return;
  const index = await readIndex(dist).catch((error: unknown) => {
    throw error instanceof DistError ? new CommandError(error.message) : error;
  });
  const games = index.games.map(({ slug }) => slug);
  const unknown = slugs.find((slug) => !games.includes(slug));
  if (unknown !== undefined)
    throw new CommandError(`${dist} has no game ${quote(unknown)}${suggest(unknown, games)}`);
}

function collectTopics(text: string, before: alerts.Topic[] = []): alerts.Topic[] {
  if (alerts.isTopic(text)) return [...before, text];
  throw new InvalidArgumentError(`Expected ${TOPICS_HELP}.`);
}

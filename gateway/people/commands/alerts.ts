import { Command, InvalidArgumentError, Option } from 'commander';
import { keysOf } from '../../../scripts/format/dist-format.ts';
import { CommandError } from '../../../scripts/system.ts';
import { type Account, tierAt } from '../../access/account.ts';
import { settingOption } from '../../commands/settings.ts';
import { type Clock, formatTable, type Report } from '../../commands/store.ts';
import { DistError, readIndex } from '../../data/dist-files.ts';
import { quote, suggest } from '../../http/problem.ts';
import { OPERATOR } from '../../store/audit.ts';
import type { Store } from '../../store/sql.ts';
import * as alerts from '../alerts/channels.ts';
import { listAttempts, sendTest } from '../alerts/deliver.ts';
import { addAccountCommand, distOption } from './accounts.ts';

interface HookOptions {
  newSecret?: true;
  endEarlierSecret?: true;
  enable?: true;
  off?: true;
  dev?: boolean;
}

const ownerOf = ({ id }: Account) => ({ account: id, actor: OPERATOR });

/** `gateway alerts`: the alert channels of accounts, also while gateways use the store. @param now ms since 1970 */
export function alertsCommand(now: Clock = Date.now): Command {
  const command = new Command('alerts');
  addAccountCommand(command, 'show', {
    about: 'show the channels of an account, and its last deliveries',
    run: (store, account) => show(store, account, now()),
  });
  for (const channel of alerts.POST_CHANNELS) addHookCommand(command, channel);
  addAccountCommand(command, 'mail', {
    about: 'turn alerts by mail on or off',
    args: [['<switch>', 'whether to send mails', ['on', 'off']]],
    async run(store, account, _, state: string) {
      const { id, email } = account;
      if (state === 'on') await alerts.turnOnMail(store, id);
      else await alerts.changeChannel(store, ownerOf(account), 'mail', 'remove');
      return { text: `alerts by mail to ${email} are ${state}`, json: { email, mail: state } };
    },
  });
  addAccountCommand<{ publicUrl?: string; off?: true }>(command, 'feed', {
    about: 'give the Atom feed of an account a new address, and print it once',
    options: [settingOption('publicUrl'), new Option('--off', 'remove the feed instead')],
    note: 'Anyone who knows the address can read the feed. The previous address stops working.',
    examples: ['ada@example.org --public-url https://api.example.org', 'ada@example.org --off'],
    async run(store, account, { publicUrl = '', off }) {
      const { email } = account;
      if (off) {
        await alerts.changeChannel(store, ownerOf(account), 'feed', 'remove');
        return { text: `${email} no longer has a feed`, json: { email, feed: null } };
      }
      const feed = publicUrl + (await alerts.renewFeed(store, ownerOf(account)));
      const hint = `The address of the feed of ${email}. It is not shown again; an earlier address no longer works.`;
      return { text: `${feed}\n\n${hint}`, json: { email, feed } };
    },
  });
  addAccountCommand<{ channel?: alerts.ChannelName }>(command, 'test', {
    about: 'send a test by each channel that is on',
    options: [new Option('--channel <name>', 'the only channel to test').choices(alerts.CHANNELS)],
    note: 'A running gateway sends it within a second; gateway alerts show prints the outcome.',
    examples: ['ada@example.org', 'ada@example.org --channel discord'],
    async run(store, account, { channel }) {
      const { id, email } = account;
      if (tierAt(account, now()) !== 'pro')
        throw new CommandError(`${email} is not Pro; only Pro accounts get alerts`);
      const on = alerts.channelsOf(await alerts.readSubscription(store, id));
      const channels = on.filter((each) => channel === undefined || each === channel);
      if (channels.length === 0)
        throw new CommandError(
          `${channel ?? 'each channel'} of ${email} is off or disabled; gateway alerts ${alerts.CHANNELS.join(', ')} turn one on`,
        );
      for (const each of channels) await sendTest(store, id, each);
      const text = `a test by ${channels.join(' and ')} is queued: a running gateway sends it within a second, and gateway alerts show prints the outcome`;
      return { text, json: { email, channels } };
    },
  });
  return command;
}

/** Adds the command of a channel that posts. */
function addHookCommand(parent: Command, channel: alerts.PostChannel): void {
  const chat = alerts.chatOf(channel);
  const flags = chat
    ? {
        '--enable': `enable it again after ${chat.label} responded that it was removed`,
        '--off': 'remove it',
      }
    : {
        '--new-secret': 'sign with a new secret from now on; the earlier one is valid for another day',
        '--end-earlier-secret': 'end the earlier secret now',
        '--enable': 'enable a webhook that was disabled because it responded 410 Gone',
        '--off': 'remove the webhook',
      };
  const options = Object.entries(flags).map(([flag, about]) => new Option(flag, about));
  const address = chat ? `${chat.begins}…` : 'https://ada.example.org/hooks/games';
  addAccountCommand<HookOptions>(parent, channel, {
    about: chat
      ? `set the address at ${chat.label} that gets a message for each event`
      : 'set the address of the webhook, and print the secret that signs events',
    args: [
      [
        '[url]',
        chat
          ? `the address that messages are posted to, ${address}`
          : 'https://…; an existing secret is kept; one of a chat service is recognised',
      ],
    ],
    options: [...options, ...(chat ? [] : [settingOption('dev')])],
    note: chat
      ? 'The address contains a secret, which is not shown again.'
      : 'Events are signed as Standard Webhooks describes (https://www.standardwebhooks.com).',
    examples: [address, ...Object.keys(flags)].map((each) => `ada@example.org ${each}`),
    run: (store, account, chosen, url?: string) => setHook(store, account, channel, url, chosen),
  });
}

async function show(store: Store, account: Account, now: number): Promise<Report> {
  const { follows, mail, feed, ...posted } = await alerts.exportAlerts(store, account.id);
  const deliveries = await listAttempts(store, account.id);
  const head = { email: account.email, tier: tierAt(account, now) };
  const rows = Object.entries(posted).map(([channel, row]) => {
    const disabled = row?.disabled;
    return [channel, disabled ? `${row.url}, disabled since ${disabled.at}, ${disabled.reason}` : row?.url];
  });
  const title = ['delivery', 'by', 'event', 'game', 'build', 'attempt', 'outcome', 'next', 'detail'];
  const sent = deliveries.map(({ at, channel, event, attempt, outcome, detail, next_at }) => [
    ...[at, channel, event.type, event.game, event.build, attempt, outcome, next_at, detail],
  ]);
  const states = { mail: mail ? 'on' : 'off', feed: feed ? 'on' : 'off', follows: follows.join(' ') || '-' };
  const table = formatTable([...Object.entries({ ...head, ...states }), ...rows]);
  return {
    text: sent.length > 0 ? `${table}\n\n${formatTable([title, ...sent])}` : table,
    json: { ...head, follows, mail, feed, ...posted, deliveries },
  };
}

async function setHook(
  store: Store,
  account: Account,
  channel: alerts.PostChannel,
  url: string | undefined,
  { newSecret, endEarlierSecret, enable, off, dev = false }: HookOptions,
): Promise<Report> {
  const { id, email } = account;
  const chosen = { enable, remove: off, secret: newSecret, 'end-earlier': endEarlierSecret };
  const [what, ...more] = [url, ...keysOf(chosen).filter((name) => chosen[name])].filter((each) => each);
  if (what === undefined || more.length > 0) {
    const others = channel === 'webhook' ? '--new-secret, --end-earlier-secret, ' : '';
    throw new CommandError(`expected one of: an address, ${others}--enable, --off`, 2);
  }
  let set = channel;
  if (url === undefined)
    await alerts.changeChannel(store, ownerOf(account), channel, what as alerts.ChannelChange);
  else set = await alerts.setAddress(store, ownerOf(account), channel, url, { isStrict: !dev });
  const row = (await alerts.readSubscription(store, id)).channels[set];
  const label = alerts.chatOf(set)?.label;
  if (row === undefined) {
    const text = label ? `${label} no longer gets messages for ${email}` : `${email} no longer has a webhook`;
    return { text, json: { email, [channel]: null } };
  }
  const { shown } = row;
  const hint = 'gateway alerts test sends a test.';
  if (label) {
    const text = `${label} gets a message for each event of ${email}, at ${shown}\n${hint}`;
    return { text, json: { email, channel: set, [set]: shown } };
  }
  const { current: secret, earlier } = alerts.readSecrets(store, row) ?? {};
  const until = earlier?.until;
  const note = until ? `\nThe earlier secret is valid until ${until}: events are signed with both.` : '';
  return {
    text: `${secret}\n\nThe secret that signs events to ${shown} for ${email}.${note}\n${hint}`,
    json: { email, webhook: shown, secret, earlier_secret_until: until },
  };
}

const TOPICS_HELP = `slugs of games, ${alerts.ALL_GAMES}, or ${alerts.NEW_GAMES}`;

/** `gateway follows`: what accounts follow, also while gateways use the store. */
export function followsCommand(): Command {
  const follows = new Command('follows');
  const args = [['<topics...>', TOPICS_HELP, collectTopics] as [string, string, typeof collectTopics]];
  addAccountCommand(follows, 'list', {
    about: 'list what an account follows',
    run: (store, account) => changeFollows(store, account, {}),
  });
  addAccountCommand<{ dist: string }>(follows, 'add', {
    about:
      'add games that an account follows: while it is Pro, it gets alerts for new builds and corrections',
    args,
    options: [distOption()],
    note: 'all_games is everything, new_games every new game, but not its later builds. gateway alerts sets the channels.',
    async run(store, account, { dist }, add: alerts.Topic[]) {
      await refuseUnknown(add, dist);
      return await changeFollows(store, account, { add });
    },
  });
  addAccountCommand(follows, 'remove', {
    about: 'remove games that an account follows',
    args,
    run: (store, account, _, remove: alerts.Topic[]) => changeFollows(store, account, { remove }),
  });
  return follows;
}

async function changeFollows(
  store: Store,
  { id, email }: Account,
  changes: Parameters<typeof alerts.changeFollows>[2],
): Promise<Report> {
  const follows = await alerts.changeFollows(store, id, changes);
  return { text: follows.join('\n') || `${email} follows nothing`, json: { email, follows } };
}

/** Refuses slugs that do not exist: nobody would notice a typing error later. @throws CommandError */
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

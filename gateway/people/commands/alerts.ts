import { Command, InvalidArgumentError, Option } from 'commander';
import { SLUG } from '../../../scripts/format/dist-format.ts';
import { CommandError } from '../../../scripts/system.ts';
import { tierAt } from '../../access/account.ts';
import { settingOption } from '../../commands/settings.ts';
import { reportOn } from '../../commands/store.ts';
import { toIso } from '../../store/accounts.ts';
import { OPERATOR } from '../../store/audit.ts';
import * as alerts from '../alerts/channels.ts';
import { listAttempts, sendTest } from '../alerts/deliver.ts';
import { addAccountCommand } from './accounts.ts';

/** `gateway alerts`: the alert channels of accounts, also while gateways use the store. */
export function alertsCommand(): Command {
  const command = new Command('alerts').description('set on which channels accounts get alerts');
  addAccountCommand(command, 'show', {
    about: 'show the channels of an account, and its last deliveries',
    async run(store, account) {
      const deliveries = (await listAttempts(store, account.id)).map(({ event, ...each }) => {
        return { ...each, event: `${event.type} ${event.game} ${event.build}` };
      });
      const { follows, channels } = await alerts.readSubscription(store, account.id);
      const states = alerts.KINDS.map((kind) => {
        const { shown, disabled_at: at, disabled_reason: reason } = channels[kind] ?? {};
        const disabled = at ? `, disabled since ${toIso(at)}, ${reason}` : '';
        return [kind, channels[kind] ? `${shown ?? 'on'}${disabled}` : null];
      });
      const head = { email: account.email, tier: tierAt(account, Date.now()), follows };
      return reportOn({ ...head, ...Object.fromEntries(states), deliveries });
    },
  });
  for (const kind of alerts.KINDS) addChannelCommand(command, kind);
  addAccountCommand<{ channel?: alerts.ChannelName }>(command, 'test', {
    about: 'send a test by each channel that is on',
    options: [new Option('--channel <name>', 'the only channel to test').choices(alerts.CHANNELS)],
    note: 'A running gateway sends it within a second; gateway alerts show prints the outcome.',
    examples: ['ada@example.org', 'ada@example.org --channel discord'],
    async run(store, account, { channel }) {
      const { id, email } = account;
      if (tierAt(account, Date.now()) !== 'pro')
        throw new CommandError(`${email} is not Pro; only Pro accounts get alerts`);
      const channels = alerts.channelsOf(await alerts.readSubscription(store, id), channel);
      if (channels.length === 0)
        throw new CommandError(
          `${channel ?? 'each channel'} of ${email} is off or disabled; gateway alerts ${alerts.CHANNELS.join(', ')} turn one on`,
        );
      for (const each of channels) await sendTest(store, id, each);
      return reportOn({ email, channels });
    },
  });
  return command;
}

/** Adds the command that turns a channel on and off. */
function addChannelCommand(parent: Command, kind: alerts.ChannelKind): void {
  const isPosted = alerts.isPosted(kind);
  const address = alerts.chatOf(kind)?.form ?? 'https://ada.example.org/hooks/games';
  addAccountCommand<{ off?: true; dev?: boolean; publicUrl?: string }>(parent, kind, {
    about: isPosted ? `set the address that alerts are posted to, ${address}` : `turn alerts by ${kind} on`,
    args: isPosted ? [['[url]', 'the address; it is not shown again']] : [],
    options: [
      new Option('--off', 'turn it off, and forget its address'),
      ...(kind === 'webhook' ? [settingOption('dev')] : []),
      ...(kind === 'feed' ? [settingOption('publicUrl')] : []),
    ],
    note:
      kind === 'feed'
        ? 'Prints the address of the feed, which is not shown again; an earlier one no longer works.'
        : 'gateway alerts test sends a test.',
    async run(store, { id, email }, options, url?: string) {
      const { off, dev = false, publicUrl = '' } = options;
      if (isPosted && (url === undefined) === (off === undefined))
        throw new CommandError('expected an address, or --off', 2);
      const owner = { account: id, actor: OPERATOR };
      const policy = { isStrict: !dev };
      const feed = off
        ? await alerts.removeChannel(store, owner, kind)
        : await alerts.setChannel(store, owner, kind, { address: url ?? '', policy });
      const row = (await alerts.readSubscription(store, id)).channels[kind];
      const secret = row && alerts.readSecret(store, row);
      const shown = feed ? publicUrl + feed : row?.shown;
      return reportOn({
        email,
        channel: kind,
        on: row !== undefined,
        ...(shown && { url: shown }),
        ...(secret && { secret }),
      });
    },
  });
}

const TOPICS = `slugs of games, ${alerts.ALL_GAMES} for everything, or ${alerts.NEW_GAMES} for every new game`;

/** `gateway follows`: what accounts follow, also while gateways use the store. */
export function followsCommand(): Command {
  const follows = new Command('follows').description('list, add and remove what accounts follow');
  const abouts = {
    list: 'list what an account follows',
    add: 'add games that an account follows: while it is Pro, it gets alerts for new builds and corrections',
    remove: 'remove games that an account follows',
  };
  for (const [name, about] of Object.entries(abouts))
    addAccountCommand(follows, name, {
      about,
      args: name === 'list' ? [] : [['<topics...>', TOPICS, collectTopics]],
      async run(store, { id, email }, _, topics: string[] = []) {
        if (name !== 'list') await alerts.changeFollows(store, id, { [name]: topics });
        const { follows } = await alerts.readSubscription(store, id);
        return { text: follows.join('\n') || `${email} follows nothing`, json: { email, follows } };
      },
    });
  return follows;
}

function collectTopics(text: string, before: string[] = []): string[] {
  const isTopic = text === alerts.ALL_GAMES || text === alerts.NEW_GAMES || new RegExp(SLUG).test(text);
  if (isTopic) return [...before, text];
  throw new InvalidArgumentError(`Expected ${TOPICS}.`);
}

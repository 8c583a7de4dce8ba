import { InputError } from '../../input/input-error.ts';
import type { Command } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import { VaultError } from '../alerts/vault.ts';
import type { ChatHook } from '../alerts/channels/chat-hook.ts';
import { type ChatService, SERVICE_NAMES } from '../alerts/channels/chat-service.ts';
import { type AddressSet, enableChat, removeChat, setAddress } from '../alerts/channels/chat-settings.ts';
import { AddressError } from '../alerts/channels/public-address.ts';
import type { WebhookChange } from '../alerts/settings.ts';
import { OPERATOR } from '../../store/audit.ts';
import type { Store } from '../../store/sql.ts';
import { withAccount } from './account-command.ts';
import {
  addStoreOptions,
  type Clock,
  parseEmail,
  print,
  type StoreOptions,
} from '../../commands/store-command.ts';
import { readVaultSetting } from './vault-setting.ts';

interface ChatOptions extends StoreOptions {
  enable?: true;
  off?: true;
}

/** Adds the commands for the channels of chat services. */
export function addChatCommands(alerts: Command, now: Clock): void {
  addChatCommand(alerts, 'discord', now);
  addChatCommand(alerts, 'slack', now);
}

function addChatCommand(alerts: Command, service: ChatService, now: Clock): void {
  const name = SERVICE_NAMES[service];
  addStoreOptions(alerts.command(service))
    .description(`set the webhook of ${name} that gets a message for each event`)
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('[url]', `the address of the webhook, as ${name} shows it`)
    .option('--enable', `enable it again after ${name} responded that it was removed`)
    .option('--off', 'remove it')
    .addHelpText('after', EXAMPLES[service])
    .action((email: string, url: string | undefined, options: ChatOptions) =>
      setChat(service, email, url, options, now),
    );
}

const EXAMPLES: Readonly<Record<ChatService, string>> = {
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

async function setChat(
  service: ChatService,
  email: string,
  url: string | undefined,
  { store, json, enable, off }: ChatOptions,
  clock: Clock,
): Promise<void> {
  if ([url, enable, off].filter((each) => each !== undefined).length !== 1)
    throw new CommandError('expected one of: an address, --enable, --off', 2);
  const by = { vault: readVaultSetting(process.env), actor: OPERATOR, now: clock() };
  if (off) {
    await withAccount(store, email, (opened, { id }) => removeChat(opened, id, service, by));
    const text = `${SERVICE_NAMES[service]} no longer gets messages for ${email}`;
    return print(json ? JSON.stringify({ email, [service]: null }) : text);
  }
  const set = await withAccount(store, email, (opened, { id }) =>
    url === undefined
      ? enableAgain(opened, id, service, by)
      : setAddress(opened, id, url, { channel: service, policy: { isStrict: true }, ...by }),
  ).catch((error: unknown) => {
    throw explainAlertError(error);
  });
  if (set.channel !== 'webhook') printChat(email, set.channel, set.hook, json);
}

async function enableAgain(
  store: Store,
  account: string,
  channel: ChatService,
  change: WebhookChange,
): Promise<AddressSet> {
  return { channel, hook: await enableChat(store, account, channel, change) };
}

/** Prints the channel of a chat service, without the secret of its address. */
export function printChat(
  email: string,
  service: ChatService,
  { shown }: ChatHook,
  json: true | undefined,
): void {
  if (json) {
    print(JSON.stringify({ email, channel: service, [service]: shown }));
    return;
  }
  const where = `${SERVICE_NAMES[service]} gets a message for each event of ${email}, at ${shown}`;
  print(`${where}\ngateway alerts test sends a test.`);
}

/** Returns the error of a command for one of alert settings; any other error as it is. */
export function explainAlertError(error: unknown): unknown {
  if (error instanceof AddressError)
    return new CommandError(`webhooks cannot be sent to this address: ${error.message}`, 2);
  const isExpected = error instanceof InputError || error instanceof VaultError;
  return isExpected ? new CommandError(error.message) : error;
}

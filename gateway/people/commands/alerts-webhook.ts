import type { Command } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import { type AddressSet, setAddress } from '../alerts/channels/chat-settings.ts';
import { encryptSecrets } from '../alerts/encrypt-secrets.ts';
import * as settings from '../alerts/settings.ts';
import type { Webhook } from '../alerts/subscription.ts';
import { openSecrets, type WebhookSecrets } from '../alerts/channels/webhook-secrets.ts';
import { OPERATOR } from '../../store/audit.ts';
import type { Account } from '../../access/account.ts';
import type { Store } from '../../store/sql.ts';
import { withAccount } from './account-command.ts';
import { explainAlertError, printChat } from './alerts-chat.ts';
import {
  addStoreOptions,
  type Clock,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from '../../commands/store-command.ts';
import { devOption } from '../../commands/strict-mode.ts';
import { readVaultSetting } from './vault-setting.ts';

interface WebhookOptions extends StoreOptions {
  newSecret?: true;
  endEarlierSecret?: true;
  enable?: true;
  off?: true;
  dev: boolean;
}

/** Adds the commands for the webhooks of accounts and their secrets. */
export function addWebhookCommands(alerts: Command, now: Clock): void {
  addStoreOptions(alerts.command('webhook'))
    .description('set the address of the webhook, and print the secret that signs events')
    .argument('<email>', 'the email address of the account', parseEmail)
    .argument('[url]', 'https://…; an existing secret is kept; one of Discord or Slack is recognised')
    .option('--new-secret', 'sign with a new secret from now on; the earlier one is valid for another day')
    .option('--end-earlier-secret', 'end the earlier secret now')
    .option('--enable', 'enable a webhook that was disabled because it responded 410 Gone')
    .option('--off', 'remove the webhook')
    .addOption(devOption())
    .addHelpText('after', EXAMPLES.webhook)
    .action((email: string, url: string | undefined, options: WebhookOptions) =>
      setWebhook(email, url, options, now),
    );
  addStoreOptions(alerts.command('encrypt'))
    .description('encrypt the secrets of all webhooks with the first key of GATEWAY_SECRET_KEYS')
    .addHelpText('after', EXAMPLES.encrypt)
    .action((options: StoreOptions) => encrypt(options, now));
}

const EXAMPLES = {
  webhook: `
Events are signed as Standard Webhooks describes (https://www.standardwebhooks.com).

Examples:
  gateway alerts webhook ada@example.org https://ada.example.org/hooks/games
  gateway alerts webhook ada@example.org --new-secret
  gateway alerts webhook ada@example.org --end-earlier-secret
  gateway alerts webhook ada@example.org --enable
  gateway alerts webhook ada@example.org --off`,
  encrypt: `
Secrets that are plain or encrypted with another key of GATEWAY_SECRET_KEYS are encrypted with its first key, also while gateways run. To
change the key, put the new one in front of the old one, restart all gateways, run this, and then remove the old one.

Examples:
  GATEWAY_SECRET_KEYS=$(openssl rand -base64 32) gateway alerts encrypt`,
};

async function setWebhook(
  email: string,
  url: string | undefined,
  { store, json, newSecret, endEarlierSecret, enable, off, dev }: WebhookOptions,
  clock: Clock,
): Promise<void> {
  const changes = [url, newSecret, endEarlierSecret, enable, off].filter((each) => each !== undefined);
  if (changes.length !== 1) {
    const message = 'expected one of: an address, --new-secret, --end-earlier-secret, --enable, --off';
    throw new CommandError(message, 2);
  }
  const now = clock();
  const by = { vault: readVaultSetting(process.env), actor: OPERATOR, now };
  if (off) {
    await withAccount(store, email, (opened, { id }) => settings.removeWebhook(opened, id, by));
    return print(json ? JSON.stringify({ email, webhook: null }) : `${email} no longer has a webhook`);
  }
  const change = async (opened: Store, { id }: Account): Promise<AddressSet> => {
    const policy = { isStrict: !dev };
    if (url !== undefined) return await setAddress(opened, id, url, { channel: 'webhook', policy, ...by });
    const alter = newSecret
      ? settings.renewSecret
      : endEarlierSecret
        ? settings.endEarlierSecret
        : settings.enableWebhook;
    return { channel: 'webhook', webhook: await alter(opened, id, by) };
  };
  await withAccount(store, email, async (opened, account) => {
    const set = await change(opened, account);
    if (set.channel !== 'webhook') return printChat(email, set.channel, set.hook, json);
    printWebhook(email, set.webhook, openSecrets({ account: account.id, ...by }, set.webhook), json);
  }).catch((error: unknown) => {
    throw explainAlertError(error);
  });
}

function printWebhook(
  email: string,
  { url }: Webhook,
  { current: secret, earlier }: WebhookSecrets,
  json: true | undefined,
): void {
  const valid = earlier ? { earlier_secret_until: earlier.until } : {};
  if (json) {
    print(JSON.stringify({ email, webhook: url, secret, ...valid }));
    return;
  }
  print(
    `${secret}\n\nThe secret that signs events to ${url} for ${email}.` +
      (earlier ? `\nThe earlier secret is valid until ${earlier.until}: events are signed with both.` : '') +
      '\ngateway alerts test sends a test.',
  );
}

async function encrypt({ store, json }: StoreOptions, now: Clock): Promise<void> {
  const vault = readVaultSetting(process.env);
  if (!vault.isOn)
    throw new CommandError(
      'GATEWAY_SECRET_KEYS is not set; set it to a key, as openssl rand -base64 32 makes it',
      2,
    );
  const report = await withStore(store, (opened) => encryptSecrets(opened, vault, now()));
  printReport(report, json);
  if (report.unreadable > 0)
    throw new CommandError(
      `${report.unreadable} secrets are encrypted with a key that GATEWAY_SECRET_KEYS lacks; add that key, or let the account holders renew them`,
    );
}

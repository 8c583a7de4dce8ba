import type { Command } from 'commander';
import { CommandError } from '../../scripts/lib/command-error.ts';
import { VaultError } from '../keys/vault.ts';
import { findChatService, maskAddress, SERVICE_NAMES } from '../people/alerts/chat-service.ts';
import { encryptSecrets } from '../people/alerts/encrypt-secrets.ts';
import { AddressError } from '../people/alerts/public-address.ts';
import * as settings from '../people/alerts/settings.ts';
import { openSecrets } from '../people/alerts/webhook-secrets.ts';
import { OPERATOR } from '../people/audit/audit-event.ts';
import type { Account } from '../plans/account.ts';
import type { Store } from '../store/store.ts';
import { withAccount } from './account-command.ts';
import {
  addStoreOptions,
  type Clock,
  parseEmail,
  print,
  printReport,
  type StoreOptions,
  withStore,
} from './store-command.ts';
import { devOption } from './strict-mode.ts';
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
    .argument('[url]', 'https://…, also that of a webhook of Discord or Slack; an existing secret is kept')
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
  const given = [url, newSecret, endEarlierSecret, enable, off].filter((each) => each !== undefined);
  if (given.length !== 1) {
    const message = 'expected one of: an address, --new-secret, --end-earlier-secret, --enable, --off';
    throw new CommandError(message, 2);
  }
  const now = clock();
  const by = { vault: readVaultSetting(process.env), actor: OPERATOR, now };
  if (off) {
    await withAccount(store, email, (opened, { id }) => settings.removeWebhook(opened, id, by));
    return print(json ? JSON.stringify({ email, webhook: null }) : `${email} no longer has a webhook`);
  }
  const change = (opened: Store, { id }: Account) => {
    if (newSecret) return settings.renewSecret(opened, id, by);
    if (endEarlierSecret) return settings.endEarlierSecret(opened, id, by);
    if (enable) return settings.enableWebhook(opened, id, by);
    return settings.setWebhook(opened, id, url as string, { policy: { isStrict: !dev }, ...by });
  };
  const { webhook, secrets } = await withAccount(store, email, async (opened, account) => {
    const webhook = await change(opened, account);
    return { webhook, secrets: openSecrets({ account: account.id, ...by }, webhook) };
  }).catch((error: unknown) => {
    throw explainError(error);
  });
  const { current: secret, earlier } = secrets;
  const valid = earlier ? { earlier_secret_until: earlier.until } : {};
  const address = maskAddress(webhook.url);
  if (json) return print(JSON.stringify({ email, webhook: address, secret, ...valid }));
  const service = findChatService(webhook.url);
  if (service) {
    const where = `${SERVICE_NAMES[service]} gets a message for each event of ${email}, at ${address}`;
    return print(`${where}\ngateway alerts test sends a test.`);
  }
  print(
    `${secret}\n\nThe secret that signs events to ${address} for ${email}.` +
      (earlier ? `\nThe earlier secret is valid until ${earlier.until}: events are signed with both.` : '') +
      '\ngateway alerts test sends a test.',
  );
}

function explainError(error: unknown): unknown {
  if (error instanceof AddressError)
    return new CommandError(`webhooks cannot be sent to this address: ${error.message}`, 2);
  const isExpected = error instanceof settings.AlertError || error instanceof VaultError;
  return isExpected ? new CommandError(error.message) : error;
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

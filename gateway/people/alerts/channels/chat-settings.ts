import { InputError } from '../../../input/input-error.ts';
import type { Store } from '../../../store/sql.ts';
import type { EventName } from '../../audit/audit-event.ts';
import { type ChatHook, makeChatHook, type PostChannel, sealChatHook } from './chat-hook.ts';
import { type ChatService, checkChatAddress, findChatService, SERVICE_NAMES } from './chat-service.ts';
import { AddressError, type AddressPolicy, readWebhookUrl } from './public-address.ts';
import { type By, setWebhook, type WebhookChange } from '../settings.ts';
import { changeSubscription, type Webhook } from '../subscription.ts';

/** What got an address: the account's webhook, with its secret, or a chat service. */
export type AddressSet = { channel: 'webhook'; webhook: Webhook } | { channel: ChatService; hook: ChatHook };

/** What the addresses of webhooks of a chat service look like. */
const EXPECTED: Readonly<Record<ChatService, string>> = {
  discord: 'https://discord.com/api/webhooks/ with a number and a token',
  slack: 'https://hooks.slack.com/services/ with three parts',
};

/**
 * Sets the address of a channel. An address of a chat service is recognised, and becomes the channel of that service whatever channel is
 * expected. What has an address already gets the new one and is enabled again.
 *
 * @param account the account's id, as in all functions of this file
 * @throws AddressError
 */
export async function setAddress(
  store: Store,
  account: string,
  address: string,
  { channel, policy, ...change }: WebhookChange & { channel: PostChannel; policy: AddressPolicy },
): Promise<AddressSet> {
  if (address.includes('…'))
    throw new AddressError('it is shortened, as the page shows it; expected the whole address');
  const url = readWebhookUrl(address, policy);
  checkChatAddress(url);
  const service = findChatService(url.href);
  if (service) return { channel: service, hook: await setChat(store, account, service, url, change) };
  if (channel === 'webhook')
    return { channel, webhook: await setWebhook(store, account, address, { policy, ...change }) };
  throw new AddressError(
    `it is not that of a webhook of ${SERVICE_NAMES[channel]}; expected ${EXPECTED[channel]}`,
  );
}

/**
 * Enables the channel of a chat service again after it was disabled.
 *
 * @throws InputError when the account has no such channel
 */
export async function enableChat(
  store: Store,
  account: string,
  service: ChatService,
  change: WebhookChange,
): Promise<ChatHook> {
  return await changeChat(store, account, service, change, 'webhook.enabled', (hook) => ({
    ...(hook ?? refuseMissing(service)),
    disabled: null,
  }));
}

/** Removes the channel of a chat service. */
export async function removeChat(store: Store, account: string, service: ChatService, by: By): Promise<void> {
  const happening = { event: 'webhook.removed', about: SERVICE_NAMES[service], ...by } as const;
  await changeSubscription(
    store,
    account,
    (subscription) => ({ ...subscription, [service]: null }),
    happening,
  );
}

async function setChat(
  store: Store,
  account: string,
  service: ChatService,
  { href }: URL,
  change: WebhookChange,
): Promise<ChatHook> {
  return await changeChat(store, account, service, change, 'webhook.set', () =>
    makeChatHook(href, change.vault, account),
  );
}

/** Changes the channel of a chat service and encrypts its address. */
async function changeChat(
  store: Store,
  account: string,
  service: ChatService,
  { vault, actor }: WebhookChange,
  event: EventName,
  change: (hook: ChatHook | null) => ChatHook,
): Promise<ChatHook> {
  const { [service]: hook } = await changeSubscription(
    store,
    account,
    (subscription) => ({
      ...subscription,
      [service]: sealChatHook(change(subscription[service]), vault, account),
    }),
    { event, about: SERVICE_NAMES[service], actor },
  );
  return hook as ChatHook;
}

function refuseMissing(service: ChatService): never {
  throw new InputError(`the account has no webhook of ${SERVICE_NAMES[service]}; set its address first`);
}

import type { Vault } from '../vault.ts';
import { type ChatService, findChatService, maskAddress } from './chat-service.ts';

/** The webhook of a chat service that an account's events are posted to, as messages. */
export interface ChatHook {
  /** Its address as a `Vault` seals it, because it ends with a secret. */
  address: string;
  /** The address without that secret. */
  shown: string;
  /** When and why it was disabled; null while it is enabled. */
  disabled: { at: string; reason: string } | null;
  /** Set if an earlier version stored it as the webhook of the account: deliveries that it queued are in the queue of webhooks. */
  wasWebhook?: true;
}

/** A channel that posts to an address. */
export type PostChannel = 'webhook' | ChatService;

/** Makes an enabled hook. @param account the account's id */
export function makeChatHook(url: string, vault: Vault, account: string): ChatHook {
  return { address: vault.seal(url, account), shown: maskAddress(url), disabled: null };
}

/** Encrypts the address of a hook with the first key, unless it is. What cannot be decrypted stays. @param account the account's id */
export function sealChatHook(hook: ChatHook, vault: Vault, account: string): ChatHook {
  const { address } = hook;
  if (vault.isCurrent(address) || !vault.canOpen(address, account)) return hook;
  return { ...hook, address: vault.seal(vault.open(address, account), account) };
}

/**
 * Returns the hooks of a subscription as any version stored it. Earlier versions had one webhook an account, whose address may be that of a
 * chat service.
 */
export function upgradeHooks<T extends { url: string; disabled: ChatHook['disabled'] }>({
  webhook,
  discord = null,
  slack = null,
}: { webhook: T | null } & Partial<Record<ChatService, ChatHook | null>>) {
  const service = webhook ? findChatService(webhook.url) : undefined;
  if (!webhook || !service) return { webhook, discord, slack };
  const { url, disabled } = webhook;
  const moved: ChatHook = { address: url, shown: maskAddress(url), disabled, wasWebhook: true };
  const hooks = { discord, slack };
  return { webhook: null, ...hooks, [service]: hooks[service] ?? moved };
}

import { type Vault, VaultError } from '../vault.ts';
import type { Webhook } from '../subscription.ts';

/** How long the earlier secret is valid after a secret was renewed. */
const OVERLAP_MS = 86_400_000;

/** What is needed to read the secrets of an account's webhook. */
export interface SecretAccess {
  vault: Vault;
  /** The account's id. */
  account: string;
  /** ms since 1970. */
  now: number;
}

/** The secrets of a webhook, readable. */
export interface WebhookSecrets {
  current: string;
  /** The secret before the last renewal, and until when it signs too, ISO 8601 UTC; undefined if it no longer does. */
  earlier: { secret: string; until: string } | undefined;
}

/**
 * Decrypts the secrets of a webhook. An earlier secret that cannot be decrypted is left out.
 *
 * @throws VaultError when the current one cannot be decrypted
 */
export function openSecrets({ vault, account, now }: SecretAccess, webhook: Webhook): WebhookSecrets {
  const current = vault.open(webhook.secret, account);
  const { earlier } = webhook;
  const secret = earlier && hasTime(earlier, now) ? tryOpen(vault, earlier.secret, account) : undefined;
  return { current, earlier: earlier && secret !== undefined ? { secret, until: earlier.until } : undefined };
}

/** Returns whether a webhook has an earlier secret that is still valid. @param now ms since 1970 */
export function hasEarlier({ earlier }: Webhook, now: number): boolean {
  return earlier !== undefined && hasTime(earlier, now);
}

/** Gives a webhook a new secret. The one that it had is valid for another day, if it can be decrypted. */
export function renewSecrets(access: SecretAccess, webhook: Webhook, fresh: string): Webhook {
  const { vault, account, now } = access;
  const old = tryOpen(vault, webhook.secret, account);
  const { earlier: _, ...rest } = webhook;
  const until = new Date(now + OVERLAP_MS).toISOString();
  return {
    ...rest,
    secret: vault.seal(fresh, account),
    ...(old !== undefined && { earlier: { secret: vault.seal(old, account), until } }),
  };
}

/** Removes the earlier secret of a webhook. */
export function endEarlier({ earlier: _, ...webhook }: Webhook): Webhook {
  return webhook;
}

/** Encrypts the secrets of a webhook with the first key, unless they are, and removes an expired one. What cannot be decrypted stays. */
export function sealSecrets({ vault, account, now }: SecretAccess, webhook: Webhook): Webhook {
  const seal = (text: string) => {
    const secret = vault.isCurrent(text) ? undefined : tryOpen(vault, text, account);
    return secret === undefined ? text : vault.seal(secret, account);
  };
  const { earlier, ...rest } = webhook;
  const kept = earlier && hasTime(earlier, now) ? { ...earlier, secret: seal(earlier.secret) } : undefined;
  return { ...rest, secret: seal(webhook.secret), ...(kept && { earlier: kept }) };
}

function tryOpen(vault: Vault, text: string, account: string): string | undefined {
  try {
    return vault.open(text, account);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return undefined;
  }
}

function hasTime({ until }: { until: string }, now: number): boolean {
  return Date.parse(until) > now;
}

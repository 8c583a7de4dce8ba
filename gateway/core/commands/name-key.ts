import { CommandError } from '../../../scripts/core/lib/command-error.ts';
import { keyByPrefix } from '../accounts/accounts.ts';
import { readPrefix } from '../keys/api-key.ts';
import { isEnding } from '../plans/account.ts';
import { nameStore, type Store } from '../store/store.ts';

/** Reads the prefix of a key. Errors do not repeat what was typed: it may be a whole key with one wrong character. */
export function parsePrefix(text: string): string {
  const prefix = readPrefix(text.trim());
  if (prefix !== undefined) return prefix;
  throw new CommandError(
    'this is not a key or the beginning of one; expected gdr_ and 8 characters of a-z and 2-7, as gateway keys list shows it',
    2,
  );
}

/** Reports that a key has ended. @throws CommandError */
export async function refuseEnded(opened: Store, prefix: string, store: string): Promise<never> {
  const { key, account } = (await keyByPrefix(opened, prefix)) ?? refuseUnknown(prefix, store);
  const reason = isEnding(key) ? 'was revoked' : 'has expired';
  throw new CommandError(`${prefix} ${reason}; gateway keys issue ${account.email} makes a new key`);
}

/** Reports that there is no such key. @throws CommandError */
export function refuseUnknown(prefix: string, store: string): never {
  throw new CommandError(
    `no key ${prefix} in the store ${nameStore(store)}; gateway keys list shows all keys`,
  );
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A secret that cannot be decrypted. The message says which key is missing, and contains neither keys nor secrets. */
export class VaultError extends Error {
  override name = 'VaultError';
}

/** A key of a vault, with the id that sealed texts name it by. */
interface VaultKey {
  id: string;
  key: Buffer;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_CHARS = 8;
/** How sealed texts begin: this, the id of the key, `:`, and then nonce, ciphertext and tag as base64url. */
const MARK = 'sealed:1:';
/** 32 bytes as base64. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;
const SEALED = /^sealed:1:([0-9a-f]{8}):([A-Za-z0-9_-]+)$/;

/**
 * Encrypts secrets that the store has to keep in readable form, with AES-256-GCM. A secret is bound to its owner: moved to another owner, it
 * cannot be opened. Without keys, a vault returns secrets as they are.
 */
export class Vault {
  readonly #keys: readonly VaultKey[];

  /** @param keys of 32 bytes each; the first one encrypts, all of them decrypt */
  constructor(keys: readonly Buffer[]) {
    this.#keys = keys.map((key) => ({ id: idOf(key), key }));
  }

  /** Whether secrets are encrypted. */
  get isOn(): boolean {
    return this.#keys.length > 0;
  }

  /** Encrypts a secret. @param owner such as the id of an account */
  seal(secret: string, owner: string): string {
    const [first] = this.#keys;
    if (!first) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, first.key, nonce).setAAD(Buffer.from(owner));
    const parts = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `${MARK}${first.id}:${Buffer.concat(parts).toString('base64url')}`;
  }

  /**
   * Returns the secret of a sealed text. A secret that was stored without encryption is returned as it is.
   *
   * @throws VaultError when its key is missing, or the text was changed or sealed for another owner
   */
  open(text: string, owner: string): string {
    if (!this.isSealed(text)) return text;
    const [, id, sealed = ''] = SEALED.exec(text) ?? [];
    const vaultKey = this.#keys.find((key) => key.id === id);
    if (id !== undefined && !vaultKey) {
      throw new VaultError(
        `the secret is encrypted with the key ${id}, which is missing; add that key to GATEWAY_SECRET_KEYS`,
      );
    }
    const secret = vaultKey && decrypt(vaultKey.key, Buffer.from(sealed, 'base64url'), owner);
    if (secret !== undefined) return secret;
    throw new VaultError('the encrypted secret is damaged, or belongs to another account; renew it');
  }

  /** Returns whether `open` would succeed. */
  canOpen(text: string, owner: string): boolean {
    try {
      this.open(text, owner);
      return true;
    } catch (error) {
      if (error instanceof VaultError) return false;
      throw error;
    }
  }

  /** Returns whether a text is encrypted. */
  isSealed(text: string): boolean {
    return text.startsWith(MARK);
  }

  /** Returns whether a text is as `seal` would write it now: with the first key, or unencrypted if there is none. */
  isCurrent(text: string): boolean {
    const [first] = this.#keys;
    return first ? text.startsWith(`${MARK}${first.id}:`) : !this.isSealed(text);
  }
}

/**
 * Parses the keys of a vault: base64 of 32 bytes each, separated by commas.
 *
 * @param text undefined or empty for a vault without keys
 * @returns undefined when the text is something else
 */
export function readVault(text: string | undefined): Vault | undefined {
  const parts = text ? text.split(',').map((part) => part.trim()) : [];
  if (!parts.every((part) => KEY.test(part))) return undefined;
  return new Vault(parts.map((part) => Buffer.from(part, 'base64')));
}

/** @returns undefined when the tag does not match */
function decrypt(key: Buffer, sealed: Buffer, owner: string): string | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

/** The id depends on the key alone, so that operators need not choose one. It reveals nothing of a random key. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('vault key id').update(key).digest('hex').slice(0, ID_CHARS);
}

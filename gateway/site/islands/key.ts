// The key of this tab: it is kept until the tab is closed, and is sent to this gateway only.

const ITEM = 'api-key';

/** Returns the key of this tab; undefined if there is none. */
export function readKey(): string | undefined {
  return sessionStorage.getItem(ITEM) ?? undefined;
}

/** Keeps a key for this tab. */
export function keepKey(key: string): void {
  sessionStorage.setItem(ITEM, key.trim());
}

/** Forgets the key of this tab. */
export function dropKey(): void {
  sessionStorage.removeItem(ITEM);
}

// The key of this tab, stored until the tab is closed. It is sent only to this gateway.

const ITEM = 'api-key';

/** @returns undefined if there is none */
export function readKey(): string | undefined {
  return sessionStorage.getItem(ITEM) ?? undefined;
}

export function keepKey(key: string): void {
  sessionStorage.setItem(ITEM, key.trim());
}

export function dropKey(): void {
  sessionStorage.removeItem(ITEM);
}

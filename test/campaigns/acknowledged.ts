import { listKeys } from '../../gateway/store/keys.ts';
import { openStore } from '../../gateway/store/open.ts';
import type { Store } from '../../gateway/store/sql.ts';

/** `gdr_` and 8 characters: what a list shows of a key. */
const PREFIX_CHARS = 12;

/** What a list of keys shows of one. */
interface ListedKey {
  prefix: string;
  revoked_at: string | null;
}

/** The commits that a store has acknowledged: keys that were issued, and keys that were revoked. Each must be in the store from then on. */
export class Acknowledged {
  readonly #issued: Set<string>;
  readonly #revoked: Set<string>;

  constructor(issued: Iterable<string> = [], revoked: Iterable<string> = []) {
    this.#issued = new Set(issued);
    this.#revoked = new Set(revoked);
  }

  /** @param key the key, or its prefix */
  issued(key: string): void {
    this.#issued.add(key.slice(0, PREFIX_CHARS));
  }

  /** @param key the key, or its prefix */
  revoked(key: string): void {
    this.#revoked.add(key.slice(0, PREFIX_CHARS));
  }

  /** Returns the commits that have been acknowledged until now. */
  copy(): Acknowledged {
    return new Acknowledged(this.#issued, this.#revoked);
  }

  /** Looks for all commits in a list of keys. @returns what is missing, a line for each commit */
  findLost(listed: Iterable<ListedKey>): string[] {
    const ends = new Map([...listed].map(({ prefix, revoked_at }) => [prefix, revoked_at]));
    return [
      ...[...this.#issued].filter((prefix) => !ends.has(prefix)).map((prefix) => `${prefix} is gone`),
      ...[...this.#revoked]
        .filter((prefix) => ends.get(prefix) === null)
        .map((prefix) => `${prefix} was revoked, and works again`),
    ];
  }

  /** Reads all commits back, each with its account. @returns what is missing, a line for each commit */
  async findLostIn(address: string): Promise<string[]> {
    const store = await openStore(address);
    try {
      return this.findLost((await listKeys(store)).map(({ key }) => key));
    } finally {
      await store.close();
    }
  }

  /** Looks for the audit event of each commit. @param now ms since 1970 @returns what is missing, a line for each commit */
  async findLostEvents(store: Store): Promise<string[]> {
    const events = await store.all<{ event: string; about: string }>('SELECT event, about FROM audit');
    const found = new Set(events.map(({ event, about }) => `${event} ${about}`));
    const issued = [...this.#issued].map((prefix) => `key.made ${prefix}`);
    const revoked = [...this.#revoked].map((prefix) => `key.revoked ${prefix}`);
    return [...issued, ...revoked].filter((event) => !found.has(event));
  }
}

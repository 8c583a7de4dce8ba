import type { Holder } from '../access/account.ts';

/** What one of them uses. */
interface Use {
  weight: number;
  used: number;
}

/**
 * What the keys and addresses of one account use of something that it has a limited amount of. Those that use some divide the amount by their weights, so
 * that one which uses all it can leaves the others their parts.
 */
export class Shares {
  readonly #uses = new Map<string, Use>();

  /** Whether nothing is used. */
  get isUnused(): boolean {
    return this.#uses.size === 0;
  }

  /** How much one of them uses. */
  usedBy({ secret }: Holder): number {
    return this.#uses.get(secret)?.used ?? 0;
  }

  /** The part of the amount that one of them may use, above 0 and up to 1. */
  partOf({ secret, weight }: Holder): number {
    const others = this.#uses.has(secret) ? 0 : weight;
    return weight / (others + this.#weight());
  }

  /** Adds to what one of them uses, or takes from it. */
  add({ secret, weight }: Holder, amount: number): void {
    const used = (this.#uses.get(secret)?.used ?? 0) + amount;
    if (used > 0) this.#uses.set(secret, { weight, used });
    else this.#uses.delete(secret);
  }

  /** Gives an amount back, divided among those that use some. What one no longer needs goes to the others. */
  giveBack(amount: number): void {
    for (let left = amount; this.#uses.size > 0; ) {
      const weight = this.#weight();
      const least = Math.min(...[...this.#uses.values()].map((use) => use.used / use.weight));
      const each = Math.min(least, left / weight);
      for (const [secret, use] of this.#uses) {
        if (use.used / use.weight <= each) this.#uses.delete(secret);
        else use.used -= each * use.weight;
      }
      if (each < least) return;
      left -= each * weight;
    }
  }

  #weight(): number {
    let sum = 0;
    for (const { weight } of this.#uses.values()) sum += weight;
    return sum;
  }
}

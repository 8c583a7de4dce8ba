/**
 * Finds the texts that may contain some words, by single code units and pairs of code units. A text that contains a word has all of its
 * pairs, so it is among those with the rarest one.
 */
export class GramIndex {
  readonly #byGram = new Map<number, number[]>();

  /** Adds a text; numbers come in ascending order. */
  add(text: string, number: number): void {
    for (let at = 0; at < text.length; at++) {
      this.#addGram(unitAt(text, at), number);
      if (at > 0) this.#addGram(pairAt(text, at - 1), number);
    }
  }

  /** Returns the numbers of the texts with the rarest gram of the words: no other text can contain them all. */
  rarest(words: readonly { initials: string }[]): readonly number[] {
    let rarest: readonly number[] | undefined;
    for (const { initials } of words) {
      for (let at = 0; at < Math.max(1, initials.length - 1); at++) {
        const gram = initials.length === 1 ? unitAt(initials, at) : pairAt(initials, at);
        const numbers = this.#byGram.get(gram) ?? [];
        if (rarest === undefined || numbers.length < rarest.length) rarest = numbers;
        if (rarest.length === 0) return rarest;
      }
    }
    return rarest ?? [];
  }

  #addGram(gram: number, number: number): void {
    const numbers = this.#byGram.get(gram);
    if (numbers === undefined) this.#byGram.set(gram, [number]);
    // A text may contain a gram several times.
    else if (numbers[numbers.length - 1] !== number) numbers.push(number);
  }
}

/** Returns a code unit as a gram. */
function unitAt(text: string, at: number): number {
  return text.charCodeAt(at);
}

/** Returns two adjacent code units as a gram. A pair that begins with U+0000 equals a single unit, which only adds candidates. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

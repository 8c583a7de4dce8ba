import type { Finding } from '../findings/findings.ts';
import type { ReadOptions } from '../findings/read-options.ts';
import type { Json } from '../format/dist-format.ts';

/** What a parser made of a text: a value and what is wrong with parts of it, or the finding for which there is no value. */
export type ParseOutcome<T extends Json = Json> = { value: T; findings: Finding[] } | { finding: Finding };

/** A format that tables can be in. */
export interface Format {
  /** The options that it takes. */
  options: readonly (keyof ReadOptions)[];
  /** Loads its parser: a library for a format can take longer to load than a build to compile, and few games have files for it. */
  load(): Promise<Parser>;
}

/** What reads a format. */
export interface Parser {
  /** @param file the path that a finding names */
  parse(text: string, file: string, options: ReadOptions): ParseOutcome;
  /**
   * Makes a function that tells the 1-based line on which the value at a JSON Pointer starts; where the pointer leads nowhere, the
   * line of the nearest value above it. The text is parsed once, at the first call.
   */
  findLines(text: string, options: ReadOptions): (pointer: string) => number;
}

import type { Finding } from '../../findings/findings.ts';
import type { ReadOptions } from '../../findings/read-options.ts';
import type { Json } from '../../format/dist-format.ts';

/** The outcome of parsing a text: a value, and findings about parts of it; or the finding that explains why no value exists. */
export type ParseOutcome<T extends Json = Json> = { value: T; findings: Finding[] } | { finding: Finding };

/** A file format of tables. */
export interface Format {
  /** The options that it has. */
  options: readonly (keyof ReadOptions)[];
  /** Loads its parser. Loading a library can take longer than compiling a build, and most games need only a few formats. */
  load(): Promise<Parser>;
}

/** Reads a format. */
export interface Parser {
  /** @param file the path for findings */
  parse(text: string, file: string, options: ReadOptions): ParseOutcome;
  /**
   * Makes a function that returns the 1-based line on which the value at a JSON Pointer starts, or the nearest value above it when the
   * pointer leads nowhere. The text is parsed at most once.
   */
  findLines(text: string, options: ReadOptions): (pointer: string) => number;
}

import type { Amendment } from '../format/dist-format.ts';
import type { RawTable, TableDefinition } from './table-definition.ts';

/** What `game.json` and `build.json` may hold, and the normalised form that the stages work with. */

/** An expression, not parsed yet. */
export interface ExpressionSource {
  /** Where in game.json it stands or is named, as a JSON Pointer. */
  pointer: string;
  /** The file that holds it, by its path inside the game's folder; absent where it stands in game.json. */
  file?: string;
  /** Undefined where the file could not be read. */
  text: string | undefined;
}

/** Turns the rows of a table into records, by JSONata expressions. */
export interface RowMapping {
  pointer: string;
  from: { pointer: string; table: string };
  where?: ExpressionSource;
  entry: ExpressionSource;
}

/** How the roster is made: `record` adds what only the full record has. */
export interface RosterMapping extends RowMapping {
  record?: ExpressionSource;
}

/** How a dataset is made: row by row, or by one expression over all tables. */
export type DatasetMapping = { key: string } & (RowMapping | { expression: ExpressionSource });

/** A game's definition as it holds for a build. Without `roster` the file `characters.json` (`.csv` …) is the roster. */
export interface GameDefinition {
  title: string;
  /** The build from which on it holds because game.json changes there; undefined for what holds from the first build on. */
  since?: string;
  tables: TableDefinition[];
  roster?: RosterMapping;
  datasets: DatasetMapping[];
}

/** A build's own facts. `released_at` in UTC; `removed` names files of earlier builds that are gone; `amended` oldest first. */
export interface BuildDefinition {
  released_at: string;
  note: string | null;
  removed: string[];
  amended: Amendment[];
  overrides: Override[];
}

/** That what a gate finds in the step to a build is meant. `of`: the list or attribute it is about, and what is in it; absent: all of them. */
export interface Override {
  check: string;
  of?: string;
  reason: string;
}

/** `game.json` as written. */
export interface RawGameDefinition extends RawMapping {
  title: string;
  schemas?: Record<string, string>;
  changes?: RawChange[];
}

/** What `game.json` says of tables and records. */
export interface RawMapping {
  tables?: Record<string, RawTable>;
  roster?: RawRosterMapping;
  datasets?: Record<string, RawDataset>;
}

/** What is otherwise from a build on: a table, a part of the roster's mapping or a dataset each replaces the one before; null removes it. */
export interface RawChange {
  from: string;
  tables?: Record<string, RawTable | null>;
  roster?: { [Part in keyof RawRosterMapping]?: RawRosterMapping[Part] | null } | null;
  datasets?: Record<string, RawDataset | null>;
}

/** A text, a list of its lines, or the file that holds it. */
export type RawExpression = string | string[] | { file: string };
export interface RawRowMapping {
  from: string;
  where?: RawExpression;
  entry: RawExpression;
}
export type RawRosterMapping = RawRowMapping & { record?: RawExpression };
export type RawDataset = RawExpression | RawRowMapping;

// `help` is what an editor shows of a property; `description` is what a finding says was expected.

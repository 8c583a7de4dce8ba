import type { Place } from '../../findings/findings.ts';
import type { GameFacts, Renames } from '../../format/dist-format.ts';
import type { ReadAmendment } from './amendments.ts';
import type { AttributeDefinitions } from './attribute-definition.ts';
import type { RawTable, Regions, TableDefinition } from './table-definition.ts';

// What `game.json` and `build.json` may contain (`Raw…`), and the normalised form that the stages work with.

/** An expression that is not parsed yet. */
export interface ExpressionSource {
  /** Where game.json contains or names it, as a JSON Pointer. */
  pointer: string;
  /** The path of its file inside the game's folder; absent when game.json contains the expression itself. */
  file?: string;
  /** Undefined when the file could not be read. */
  text: string | undefined;
}

/** Turns the rows of a table into records, by JSONata expressions. */
export interface RowMapping {
  pointer: string;
  /** Tables, the one that counts first first; a name can stand for the tables of all regions. */
  from: { pointer: string; tables: readonly string[] };
  where?: ExpressionSource;
  entry: ExpressionSource;
}

/** How the roster is made. `record` returns the attributes that only the full record has. */
export interface RosterMapping extends RowMapping {
  record?: ExpressionSource;
}

/** How a dataset is made: row by row, or by one expression over all tables. */
export type DatasetMapping = { key: string } & (RowMapping | { expression: ExpressionSource });

/** A game's definition for a build. Without `roster`, the file `characters.json` (`.csv` …) is the roster. */
export interface GameDefinition {
  title: string;
  /** The build where a change in game.json begins this definition; undefined for the definition of the first build. */
  since?: string;
  tables: TableDefinition[];
  /** The tables that a change removed: expressions may name them. */
  removed?: readonly string[];
  /** The functions that all expressions may call. */
  helpers?: ExpressionSource;
  roster?: RosterMapping;
  datasets: DatasetMapping[];
  /** What attributes mean; undefined in a game that does not describe them. */
  attributes?: AttributeDefinitions;
}

/** What build.json says. `released_at` is in UTC; `removed` lists files of earlier builds; `amended` is oldest first; `renamed` has the records that the build renumbered, which are at `renamedAt`. */
export interface BuildDefinition {
  released_at: string;
  /** The release in regions where it differs, by the name of the region; in UTC. */
  releasedIn: Readonly<Record<string, string>>;
  note: string | null;
  removed: string[];
  amended: ReadAmendment[];
  overrides: Override[];
  /** The datasets that are those of the build before, with the reasons. */
  carried: Readonly<Record<string, string>>;
  renamed: Renames;
  renamedAt: Place;
}

/** Accepts the changes that a gate reports in the list or attribute `of`; without `of`, all changes that it reports. */
export interface Override {
  check: string;
  of?: string;
  reason: string;
}

/** Thresholds of checks, by the name of the check. */
export type CheckSettings = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** `game.json` as written. */
export interface RawGameDefinition extends RawMapping, GameFacts {
  /** Whether builds may still change, as nothing was published. */
  draft?: boolean;
  /** Where new builds are fetched. */
  source?: { git?: string; hold_on?: readonly string[] };
  /** The path of the file with the functions that all expressions may call. */
  helpers?: string;
  /** The folder of each region, inside that of a build; the region that counts first first. */
  regions?: Regions;
  schemas?: Record<string, string>;
  checks?: CheckSettings;
  /** What attributes mean, or the path of the file that says it. */
  attributes?: AttributeDefinitions | string;
  changes?: RawChange[];
}

/** The part of `game.json` about tables and records. */
export interface RawMapping {
  tables?: Record<string, RawTable>;
  roster?: RawRosterMapping;
  datasets?: Record<string, RawDataset>;
}

/** What changes from a build on. A table, a part of the roster's mapping or a dataset replaces the one before it; null removes it. */
export interface RawChange {
  from: string;
  tables?: Record<string, RawTable | null>;
  roster?: { [Part in keyof RawRosterMapping]?: RawRosterMapping[Part] | null } | null;
  datasets?: Record<string, RawDataset | null>;
}

/** A text, a list of its lines, or its file. */
export type RawExpression = string | string[] | { file: string };
export interface RawRowMapping {
  from: string | string[];
  where?: RawExpression;
  entry: RawExpression;
}
export type RawRosterMapping = RawRowMapping & { record?: RawExpression };
export type RawDataset = RawExpression | RawRowMapping;

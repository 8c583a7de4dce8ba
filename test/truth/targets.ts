import type { CompiledBuild } from '../../scripts/compile/compile-build.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { type ColumnMutation, type Mutation, valuesOf } from './mutations.ts';
import { columnsOf, nameOf, type RawColumn, type RawTable } from './raw-tables.ts';
import type { TruthWorld } from './truth-world.ts';

const MIN_VALUES = 10;
const numberOrText =
  /(?:id|ids|Id|ID|seq|order|sort|key|time|Time|date|Date|start|end|At|version|hash|Hash)$/;

/** What a mutation is applied to: a table, or an attribute in it. */
export interface Target {
  table: string;
  /** The path of the attribute, as in `RawColumn`. */
  path?: readonly string[];
}

/** The targets of mutations in a game. */
export class Targets {
  readonly #tables: readonly RawTable[];
  readonly #columns: readonly RawColumn[];
  readonly #names: ReadonlySet<string>;
  readonly #served: CompiledBuild;
  readonly #known = new Map<Mutation['of'], readonly Target[]>();

  constructor({ newest, tables, names }: TruthWorld, served: CompiledBuild) {
    const before = newest.before.trace.tables;
    // What the build before does not have is new, and cannot be compared.
    this.#tables = tables.names.filter((name) => before.has(name)).map((name) => tables.copy(name));
    this.#columns = this.#tables.flatMap(columnsOf);
    this.#names = names;
    this.#served = served;
  }

  /** All that mutations of a sort fit. */
  of(sort: Mutation['of']): readonly Target[] {
    const targets = this.#known.get(sort) ?? this.#find(sort);
    this.#known.set(sort, targets);
    return targets;
  }

  #find(sort: Mutation['of']): Target[] {
    if (sort === 'file')
      return this.#tables.filter(({ definition: { files } }) => !files.includes('*')).map(targetOf);
    if (sort === 'roster' || sort === 'joined') {
      const roster = this.#served.source.definition.roster?.from.tables[0];
      const isRoster = ({ definition }: RawTable) => definition.name === roster;
      return this.#tables.filter((table) => isRoster(table) === (sort === 'roster')).map(targetOf);
    }
    return this.#columns
      .filter((column) => this.#fits(sort, column))
      .map(({ table, path }) => ({ ...targetOf(table), path }));
  }

  /** Whether a mutation of numbers, categories or names fits a column, and the mapping reads it: it has its name. */
  #fits(of: ColumnMutation['of'], column: RawColumn): boolean {
    const name = nameOf(column);
    if (column.cells.length < MIN_VALUES || !this.#names.has(name)) return false;
    const values = valuesOf(column).filter((value) => value !== null && value !== '');
    const distinct = new Set(values).size;
    const share = (type: string) => values.filter((value) => typeof value === type).length / values.length;
    if (of === 'numbers') return share('number') > 0.8 && distinct >= 5 && !numberOrText.test(name);
    if (of === 'dates') return distinct >= 3 && values.filter(isDate).length > values.length * 0.8;
    if (of === 'names')
      return share('string') === 1 && distinct >= values.length / 2 && this.#servesTexts(column);
    const isCategory =
      distinct >= 2 && distinct <= 20 && values.length >= 20 && values.length >= distinct * 3;
    return isCategory && !numberOrText.test(name) && (share('string') === 1 || share('number') === 1);
  }

  /** Whether most texts of a column are served as they are, and are not keys of others. */
  #servesTexts(column: RawColumn): boolean {
    const texts = new Set<unknown>(valuesOf(column));
    const isServed = ({ record }: { record: JsonObject }) =>
      Object.entries(record).some(([key, value]) => /^name(?:_|$)/.test(key) && texts.has(value));
    const { characters, datasets } = this.#served;
    const lists = datasets.map((dataset) => (dataset.kind === 'list' ? dataset.records : []));
    return [characters, ...lists].some((records) => records.filter(isServed).length > records.length / 2);
  }
}

/** Whether a value is a date, or the seconds or milliseconds since 1970 of one. */
function isDate(value: unknown): boolean {
  if (typeof value === 'string') return /^20\d\d.[01]\d.[0-3]\d/.test(value);
  return typeof value === 'number' && value % 3600 === 0 && /^1[4-9]\d{8}(\d{3})?$/.test(String(value));
}

function targetOf({ definition }: RawTable): Target {
  return { table: definition.name };
}

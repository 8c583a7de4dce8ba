import path from 'node:path';
import type { CompiledBuild } from '../../scripts/compile/compile-build.ts';
import type { Finding } from '../../scripts/findings/findings.ts';
import type { JsonObject } from '../../scripts/format/dist-format.ts';
import { CATEGORY_MUTATIONS, NUMBER_MUTATIONS } from './column-mutations.ts';
import { compareServed, type Effect } from './effect.ts';
import {
  type ColumnMutation,
  type FileMutation,
  type Mutation,
  shuffle,
  type TableMutation,
  valuesOf,
} from './mutation.ts';
import { NAME_MUTATIONS } from './name-mutations.ts';
import { columnsOf, type RawColumn, type RawTable } from './raw-tables.ts';
import { FILE_MUTATIONS, TABLE_MUTATIONS } from './table-mutations.ts';
import { choosesColumn } from './targets.ts';
import type { TruthWorld } from './truth-world.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...NUMBER_MUTATIONS,
  ...CATEGORY_MUTATIONS,
  ...NAME_MUTATIONS,
  ...TABLE_MUTATIONS,
  ...FILE_MUTATIONS,
];

/** What became of a mutation: whether it was found, and by which checks; `first`: in a first build, where it can show. */
export interface Trial {
  game: string;
  mutation: string;
  /** The raw table, and the attribute in it. */
  target: string;
  /** After the build before; undefined if it cannot show there. */
  found?: boolean;
  checks: string[];
  first?: { found: boolean; checks: string[] };
}

/** How many targets are tried until a mutation changes what is served. */
const MAX_TARGETS = 12;

function isOfTable(mutation: Mutation): mutation is TableMutation {
  return mutation.of === 'roster' || mutation.of === 'joined';
}

/** A mutation that was written to the folders. */
interface Applied {
  target: string;
  /** The names of which a finding has to have one. */
  names: string[];
  files: string[];
  effect: Effect;
}

/** Applies mutations to a game, one at a time. */
export class Recall {
  readonly #world: TruthWorld;
  readonly #served: CompiledBuild;
  readonly #names: ReadonlySet<string>;
  readonly #usual: Record<'step' | 'first', ReadonlySet<string>>;

  private constructor(
    world: TruthWorld,
    served: CompiledBuild,
    names: ReadonlySet<string>,
    usual: Record<'step' | 'first', ReadonlySet<string>>,
  ) {
    this.#world = world;
    this.#served = served;
    this.#names = names;
    this.#usual = usual;
  }

  static async begin(world: TruthWorld): Promise<Recall> {
    const served = await world.compile();
    if (served === undefined) throw new Error(`${world.slug} does not compile`);
    const usual = async (part: 'step' | 'first') => new Set((await world.findings(part)).map(identityOf));
    return new Recall(world, served, await world.readNames(), {
      step: await usual('step'),
      first: await usual('first'),
    });
  }

  /** Tries a mutation; undefined if the game has nothing that it fits. */
  async try(mutation: Mutation, random: () => number): Promise<Trial | undefined> {
    for (const apply of shuffle(await this.#targetsOf(mutation), random).slice(0, MAX_TARGETS)) {
      const applied = await apply(random);
      if (applied === undefined) continue;
      try {
        return await this.#judge(mutation, applied);
      } finally {
        await this.#world.restore(applied.files);
      }
    }
    return undefined;
  }

  /** Functions that apply a mutation to one target each; they return undefined if that changes too little. */
  async #targetsOf(mutation: Mutation): Promise<((random: () => number) => Promise<Applied | undefined>)[]> {
    // What the build before does not have is new, and cannot be compared.
    const tables = (await this.#world.readTables()).filter(({ definition }) =>
      this.#world.hadTable(definition.name),
    );
    if (mutation.of === 'file')
      return tables
        .filter(({ definition: { files } }) => !files.includes('*'))
        .map((table) => () => this.#applyToFile(mutation, table));
    const roster = this.#served.source.definition.roster?.from.table;
    if (isOfTable(mutation))
      return tables
        .filter(({ definition: { name } }) => (name === roster) === (mutation.of === 'roster'))
        .map((table) => (random) => this.#applyToTable(mutation, table, random));
    return tables
      .flatMap(columnsOf)
      .filter((column) => choosesColumn(mutation.of, column, this.#names))
      .filter((column) => mutation.of !== 'names' || this.#servesTexts(column))
      .map((column) => (random) => this.#applyToColumn(mutation, column, random));
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

  async #applyToColumn(
    mutation: ColumnMutation,
    column: RawColumn,
    random: () => number,
  ): Promise<Applied | undefined> {
    const { table, path: steps } = column;
    const applied = await this.#write(table, () => mutation.apply(column, random), mutation.records);
    if (applied === undefined) return undefined;
    const isName = mutation.of === 'names';
    if ((isName && !applied.effect.named) || (mutation.of === 'numbers' && !applied.effect.numeric)) {
      await this.#world.restore(applied.files);
      return undefined;
    }
    const own = steps.filter((step) => step !== '*');
    return {
      ...applied,
      target: [table.definition.name, ...own].join('.'),
      names: [...applied.names, ...own.slice(-1), ...(isName ? applied.effect.lists : [])],
    };
  }

  async #applyToTable(
    mutation: TableMutation,
    table: RawTable,
    random: () => number,
  ): Promise<Applied | undefined> {
    const applied = await this.#write(table, () => mutation.apply(table, random), mutation.records);
    return applied && { ...applied, names: [...applied.names, ...applied.effect.lists, mutation.of] };
  }

  async #applyToFile(mutation: FileMutation, table: RawTable): Promise<Applied | undefined> {
    const [file = ''] = table.files.map((raw) => raw.file);
    const names = [table.definition.name, path.basename(file)];
    const none = { keys: new Set<string>(), lists: new Set<string>() };
    const effect = { ...none, records: 0, named: false, numeric: false };
    await this.#world.writeText(file, mutation.edit(this.#world.originalOf(file)));
    return { target: table.definition.name, names, files: [file], effect };
  }

  /** Changes the values of a table and writes its files; restores them if too few served records differ. */
  async #write(table: RawTable, change: () => boolean, records: number): Promise<Applied | undefined> {
    if (!change()) return undefined;
    const files = table.files.map(({ file }) => file);
    await this.#world.write(table.files);
    const served = await this.#world.compile();
    const effect = served && compareServed(this.#served, served);
    if (effect === undefined || effect.records < records) {
      await this.#world.restore(files);
      return undefined;
    }
    const keys = [...effect.keys];
    const { name } = table.definition;
    const names = [name, path.basename(files[0] ?? ''), ...keys.flatMap(namesOf)];
    return { target: name, names, files, effect };
  }

  async #judge(
    { name, of, first, onlyFirst = false }: Mutation,
    { target, names, effect }: Applied,
  ): Promise<Trial> {
    // Rows that only a dataset of their own is made of are not missed by others.
    const isOwn = of === 'joined' && effect.lists.size === 1 && this.#isSource(target);
    const isOfLanguage = [...effect.keys].every((key) => /_(?:ja|jp|ko|kr|zh|ru)(?:_|$)/.test(key));
    const isFirst = !isOwn && (first === 'language' ? isOfLanguage : first);
    const step = onlyFirst ? { checks: [] } : await this.#search('step', names);
    return {
      game: this.#world.slug,
      mutation: name,
      target,
      ...step,
      ...(isFirst && { first: await this.#search('first', names) }),
    };
  }

  /** Whether a dataset is made of the rows of a table. */
  #isSource(table: string): boolean {
    const { datasets } = this.#served.source.definition;
    return datasets.some((dataset) => 'from' in dataset && dataset.from.table === table);
  }

  /** The checks that find something which they do not find without the mutation, and that names what was mutated. */
  async #search(part: 'step' | 'first', names: readonly string[]) {
    const news = (await this.#world.findings(part)).filter(
      (finding) => !this.#usual[part].has(identityOf(finding)),
    );
    const naming = news.filter((finding) => names.some((name) => mentions(finding, name)));
    return { found: naming.length > 0, checks: [...new Set(naming.map(({ check }) => check))] };
  }
}

/** The names of an attribute in findings: its last one, and those of itself and the objects that it is in. */
function namesOf(key: string): string[] {
  const path = key.split('.');
  return [path.at(-1) ?? key, ...path.map((_, at) => path.slice(0, at + 1).join('.'))];
}

function identityOf({ check, found }: Finding): string {
  return `${check} ${found}`;
}

/** Whether a finding has a name as a whole word. */
function mentions({ found, expected, fix = '', place }: Finding, name: string): boolean {
  const text = [found, expected, fix, path.basename(place.file), place.pointer].join(' ');
  const at = text.indexOf(name);
  if (name === '' || at === -1) return false;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'u').test(text);
}

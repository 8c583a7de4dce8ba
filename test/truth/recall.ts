import path from 'node:path';
import { CHANGE_CHECKS } from '../../scripts/changes/change-checker.ts';
import { locateFindings, renderFindings } from '../../scripts/check/report.ts';
import type { CompiledBuild } from '../../scripts/compile/compile-build.ts';
import type { Finding } from '../../scripts/findings.ts';
import { compareServed, type Effect } from './effect.ts';
import {
  type ColumnMutation,
  type FileMutation,
  type Mutation,
  shuffle,
  type TableMutation,
} from './mutations.ts';
import type { Compiled, Part } from './newest-build.ts';
import { columnsOf, type RawColumn, type RawTable } from './raw-tables.ts';
import { type Target, Targets } from './targets.ts';
import type { TruthWorld } from './truth-world.ts';

/** What became of a mutation: after the build before (`step`), and in a first build; undefined where it cannot show. */
export interface Trial {
  game: string;
  mutation: string;
  /** What it is applied to. */
  of: Mutation['of'];
  /** The raw table, and the attribute in it. */
  target: string;
  step: Found | undefined;
  first: Found | undefined;
}

/** The checks that found a mutation and named what was mutated, and those of them that hold the build. */
export interface Found {
  checks: string[];
  holds: string[];
}

/** A game that cannot be measured; its message says why, and what to do. */
export class UnsoundGame extends Error {}

/** The checks that run only if no other finds an error. What they find in a real build stops none of them. */
export const LAST_CHECKS: ReadonlySet<string> = new Set<string>(CHANGE_CHECKS.map(({ name }) => name));

/** Throws `UnsoundGame` if a build has other errors before all mutations. Then builds are not compared, and too few mutations would be found. */
async function requireSound(slug: string, part: Part, findings: readonly Finding[]): Promise<void> {
  const errors = findings.filter(({ check, severity }) => severity === 'error' && !LAST_CHECKS.has(check));
  if (errors.length === 0) return;
  const what = part === 'step' ? 'the newest build' : 'the newest build, without the build before it,';
  throw new UnsoundGame(
    `${slug} is not measured: ${what} has ${errors.length} ${errors.length === 1 ? 'error' : 'errors'} before any mutation. ` +
      `Correct the files or the mapping, then measure again. The first error:\n${renderFindings((await locateFindings(errors)).slice(0, 1))}`,
  );
}

/** What makes a finding another one than before. */
function identityOf({ check, found }: Finding): string {
  return `${check} ${found}`;
}

/** The names of an attribute in findings: its last one, and those of itself and the objects that it is in. */
function namesOf(key: string): string[] {
  const steps = key.split('.');
  return [steps.at(-1) ?? key, ...steps.map((_, at) => steps.slice(0, at + 1).join('.'))];
}

/** Whether a finding has a name as a whole word. */
function mentions({ found, expected, fix = '', place, changed }: Finding, name: string): boolean {
  const where = [path.basename(place.file), place.pointer, ...(changed?.attributes ?? [])];
  const text = [found, expected, fix, ...where].join(' ');
  if (name === '' || !text.includes(name)) return false;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'u').test(text);
}

/** How many targets are tried for each one in which a mutation changes what is served. */
const MAX_TARGETS = 12;

/** A mutation that was written to the folder. */
interface Applied {
  target: string;
  /** The names of which a finding has to have one. */
  names: string[];
  files: ReadonlySet<string>;
  /** With the mutation, after the build before. */
  compiled: Compiled;
  effect: Effect | undefined;
}

function isOfTable(mutation: Mutation): mutation is TableMutation {
  return mutation.of === 'roster' || mutation.of === 'joined';
}

/** Applies mutations to a game, one at a time. */
export class Recall {
  readonly #world: TruthWorld;
  /** The newest build without mutations. */
  readonly #served: CompiledBuild;
  /** What is found without mutations. */
  readonly #usual: Readonly<Record<Part, ReadonlySet<string>>>;
  readonly #targets: Targets;

  private constructor(world: TruthWorld, served: CompiledBuild, usual: Record<Part, ReadonlySet<string>>) {
    this.#world = world;
    this.#served = served;
    this.#usual = usual;
    this.#targets = new Targets(world, served);
  }

  /** Compiles the newest build as it is. Throws if it has errors. */
  static async begin(world: TruthWorld): Promise<Recall> {
    const compiled = await world.newest.compile(new Set());
    const usual = async (part: Part): Promise<ReadonlySet<string>> => {
      const findings = world.newest.check(part, compiled);
      await requireSound(world.slug, part, findings);
      return new Set(findings.map(identityOf));
    };
    return new Recall(world, compiled.build, { step: await usual('step'), first: await usual('first') });
  }

  /** Tries a mutation on up to some targets; none if the game has nothing that it fits. */
  async *try(mutation: Mutation, targets: number, random: () => number): AsyncGenerator<Trial> {
    const candidates = shuffle(this.#targets.of(mutation.of), random).slice(0, MAX_TARGETS * targets);
    let tried = 0;
    for (const target of candidates) {
      const applied = await this.#apply(mutation, target, random);
      if (applied === undefined) continue;
      const trial = await this.#judge(mutation, applied);
      await this.#world.restore(applied.files);
      if (trial.step === undefined && trial.first === undefined) continue;
      yield trial;
      if (++tried === targets) return;
    }
  }

  /** Applies a mutation; undefined if it changes too little of what is served. */
  async #apply(mutation: Mutation, target: Target, random: () => number): Promise<Applied | undefined> {
    const table = this.#world.tables.copy(target.table);
    if (mutation.of === 'file') return await this.#applyToFile(mutation, table);
    if (isOfTable(mutation)) return await this.#applyToTable(mutation, table, random);
    const wanted = target.path?.join('\0');
    const column = columnsOf(table).find(({ path }) => path.join('\0') === wanted);
    return column && (await this.#applyToColumn(mutation, column, random));
  }

  async #applyToColumn(
    mutation: ColumnMutation,
    column: RawColumn,
    random: () => number,
  ): Promise<Applied | undefined> {
    const { table, path: steps } = column;
    const isName = mutation.of === 'names';
    const isSeen = ({ records, named, numeric }: Effect) =>
      records >= mutation.records && (!isName || named) && (mutation.of !== 'numbers' || numeric);
    const applied = await this.#write(table, () => mutation.apply(column, random), isSeen);
    const own = steps.filter((step) => step !== '*');
    return (
      applied && {
        ...applied,
        target: [table.definition.name, ...own].join('.'),
        names: [
          ...applied.names,
          ...own.slice(-1),
          ...((isName ? applied.effect?.lists : applied.effect?.renewed) ?? []),
          // A finding about a roster that is empty names no list.
          ...(applied.effect?.renewed.has('characters') ? ['character'] : []),
        ],
      }
    );
  }

  async #applyToTable(
    mutation: TableMutation,
    table: RawTable,
    random: () => number,
  ): Promise<Applied | undefined> {
    const isSeen = ({ records }: Effect) => records >= mutation.records;
    const applied = await this.#write(table, () => mutation.apply(table, random), isSeen);
    return (
      applied && { ...applied, names: [...applied.names, ...(applied.effect?.lists ?? []), mutation.of] }
    );
  }

  async #applyToFile(mutation: FileMutation, table: RawTable): Promise<Applied> {
    const [file = ''] = table.files.map((raw) => raw.file);
    const { name } = table.definition;
    await this.#world.writeText(file, mutation.edit(this.#world.originalOf(file)));
    const files = new Set([file]);
    const compiled = await this.#world.newest.compile(files);
    return { target: name, names: [name, path.basename(file)], files, compiled, effect: undefined };
  }

  /** Changes the values of a table and writes its files; restores them if the effect cannot be seen. */
  async #write(
    table: RawTable,
    change: () => boolean,
    isSeen: (effect: Effect) => boolean,
  ): Promise<Applied | undefined> {
    if (!change()) return undefined;
    const files = new Set(table.files.map(({ file }) => file));
    await this.#world.write(table.files);
    const compiled = await this.#world.newest.compile(files);
    const effect = compareServed(this.#served, compiled.build, this.#world.newest.before);
    if (!isSeen(effect)) {
      await this.#world.restore(files);
      return undefined;
    }
    const { name } = table.definition;
    const [file = ''] = files;
    const names = [name, path.basename(file), ...[...effect.keys].flatMap(namesOf)];
    return { target: name, names, files, compiled, effect };
  }

  async #judge({ name, onlyFirst = false, ...kind }: Mutation, applied: Applied): Promise<Trial> {
    const { target, names, compiled, effect } = applied;
    const showsAfter = !onlyFirst && (effect === undefined || effect.shared >= kind.records);
    return {
      game: this.#world.slug,
      mutation: name,
      of: kind.of,
      target,
      step: showsAfter ? this.#search('step', compiled, names) : undefined,
      first: this.#showsFirst(kind, applied) ? this.#search('first', compiled, names) : undefined,
    };
  }

  /** Whether a mutation shows without the build before. */
  #showsFirst({ of, first }: Pick<Mutation, 'of' | 'first'>, { target, effect }: Applied): boolean {
    if (effect === undefined) return first !== false;
    // Rows that only a dataset of their own is made of are not missed by others.
    if (of === 'joined' && effect.lists.size === 1 && this.#isSource(target)) return false;
    if (first !== 'language') return first;
    return [...effect.keys].every((key) => /_(?:ja|jp|ko|kr|zh|ru)(?:_|$)/.test(key));
  }

  /** Whether a dataset is made of the rows of a table. */
  #isSource(table: string): boolean {
    const { datasets } = this.#served.source.definition;
    return datasets.some((dataset) => 'from' in dataset && dataset.from.tables.includes(table));
  }

  /** The checks that find something which they do not find without the mutation, and that names what was mutated. */
  #search(part: Part, compiled: Compiled, names: readonly string[]): Found {
    const news = this.#world.newest
      .check(part, compiled)
      .filter((finding) => !this.#usual[part].has(identityOf(finding)));
    const naming = news.filter((finding) => names.some((name) => mentions(finding, name)));
    const held = naming.filter(({ severity }) => severity === 'error');
    const checksOf = (findings: readonly Finding[]) => [...new Set(findings.map(({ check }) => check))];
    return { checks: checksOf(naming), holds: checksOf(held) };
  }
}

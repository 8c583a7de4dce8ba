import { existsSync } from 'node:fs';
import { ChangeChecker } from '../../scripts/changes/change-checker.ts';
import { surveyBuild } from '../../scripts/changes/survey.ts';
import { checkBuild } from '../../scripts/check/rules.ts';
import { type CompiledBuild, compileBuild } from '../../scripts/compile/compile-build.ts';
import { compileMappings, type Mapping } from '../../scripts/compile/mapping.ts';
import { BoundedFindings, type Finding, hasErrors, NO_REPORTER } from '../../scripts/findings.ts';
import type { Json } from '../../scripts/format/dist-format.ts';
import type { ReadOptions } from '../../scripts/read/formats.ts';
import type { GameSource } from '../../scripts/read/game.ts';
import {
  type BuildFiles,
  findBuildFiles,
  type Overlay,
  type Overlays,
  ParsedFiles,
  readTables,
} from '../../scripts/read/tables.ts';

/** After the build before, or as a first build: without it. */
export type Part = 'step' | 'first';

/** A build, and the findings of reading its files and of compiling them. */
export interface Compiled {
  build: CompiledBuild;
  ofFiles: readonly Finding[];
  ofMapping: readonly Finding[];
}

/**
 * The newest build of a game, which is compiled and checked many times with changed files. It does what `GameCompilation` does, except for what takes
 * time and finds nothing: files that did not change are not parsed again, and no diff or plan is made.
 */
export class NewestBuild {
  readonly game: GameSource;
  readonly #files: BuildFiles;
  readonly #mapping: Mapping;
  /** The build before it. */
  readonly before: CompiledBuild;
  readonly #parsed = new ParsedFiles(NO_REPORTER);

  private constructor(game: GameSource, files: BuildFiles, mapping: Mapping, before: CompiledBuild) {
    this.game = game;
    this.#files = files;
    this.#mapping = mapping;
    this.before = before;
  }

  /** Compiles the builds before the newest one. */
  static async open(game: GameSource): Promise<NewestBuild> {
    const { value: mappings } = compileMappings(game);
    let before: CompiledBuild | undefined;
    for await (const files of findBuildFiles(game)) {
      const mapping = mappings.get(files.source.definition);
      if (mapping === undefined) throw new Error(`the mapping of ${game.slug} has errors`);
      if (files.source === game.builds.at(-1) && before) return new NewestBuild(game, files, mapping, before);
      const { value: tables } = await files.read();
      before = (await compileBuild(tables, mapping)).value;
    }
    throw new Error(`${game.slug} has fewer than two builds`);
  }

  /** @param changed the files that are not as they were, or are not there any more */
  async compile(changed: ReadonlySet<string>): Promise<Compiled> {
    const { source, overlays } = this.#files;
    const parsed = new ChangedFiles(this.#parsed, changed);
    const present = withoutMissing(overlays, changed);
    const { value: tables, findings } = await readTables(this.game.folder, source, present, parsed);
    const compiled = await compileBuild(tables, this.#mapping);
    return { build: compiled.value, ofFiles: findings, ofMapping: compiled.findings };
  }

  /** All findings about the build. */
  check(part: Part, { build, ofFiles, ofMapping }: Compiled): Finding[] {
    const found = new BoundedFindings();
    found.add(ofFiles, ofMapping);
    const ruled = [...checkBuild(build, found.list(), surveyBuild(build))];
    found.add(hasErrors(ofFiles) ? ruled.filter(({ cause }) => cause === undefined) : ruled);
    const checker = new ChangeChecker();
    if (part === 'step') checker.check(this.before, true);
    found.add(checker.check(build, !hasErrors(found.list())));
    found.add(checker.finish());
    return found.list();
  }
}

function withoutMissing(overlays: Overlays, changed: ReadonlySet<string>): Overlays {
  const missing = new Set([...changed].filter((file) => !existsSync(file)));
  if (missing.size === 0) return overlays;
  const present = (overlay: Overlay) => new Map([...overlay].filter(([, file]) => !missing.has(file)));
  return new Map([...overlays].map(([pattern, overlay]) => [pattern, present(overlay)]));
}

/** Files of which some have changed since the others were parsed. */
class ChangedFiles extends ParsedFiles {
  readonly #unchanged: ParsedFiles;
  readonly #changed: ReadonlySet<string>;

  constructor(unchanged: ParsedFiles, changed: ReadonlySet<string>) {
    super(NO_REPORTER);
    this.#unchanged = unchanged;
    this.#changed = changed;
  }

  override async read(file: string, options: ReadOptions, findings: Finding[]): Promise<Json | undefined> {
    if (this.#changed.has(file)) return await super.read(file, options, findings);
    return await this.#unchanged.read(file, options, findings);
  }
}

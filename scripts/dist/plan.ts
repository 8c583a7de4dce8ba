import { hash } from 'node:crypto';
import type { BulkFiles } from '../bulk/bulk-files.ts';
import type { BuildChanges } from '../diff/history.ts';
import type { AttributeDictionary } from '../format/attributes.ts';
import {
  type EncodedBuild,
  type EncodedLists,
  encodeListsOf,
  encodeSnapshot,
} from '../format/build-content.ts';
import * as dist from '../format/dist-format.ts';
import type { BuildSource, GameSource } from '../read/game.ts';
import * as stages from './stage.ts';

/** The planned content of dist/ for a game: its manifest, and the files made for it that dist/ may lack. */
export interface GamePlan extends stages.PlannedFiles {
  slug: string;
  manifest: dist.FileRef;
  /** The builds, oldest first, except those that were left out. */
  entries: dist.BuildEntry[];
  /** The names of all builds, oldest first, including those that were left out. */
  builds: string[];
  /** The names of removed builds that had been released. */
  withdrawn: string[];
  /** Whether builds may still change; then they are not recorded. */
  draft: boolean;
  /** The size of all files that the game's index entry references. */
  bytes: number;
}

/** Collects a game's builds, oldest first, into a plan. */
export class GamePlanner {
  readonly #game: GameSource;
  readonly #files: stages.FileKeeper;
  readonly #bulk: BulkFiles | undefined;
  readonly #entries: dist.BuildEntry[] = [];
  /** The names of the builds that were not compiled again. */
  readonly #kept = new Set<string>();
  /** The newest build, unless it was kept: if none follows, its lists become files. */
  #newest: EncodedBuild | undefined;
  readonly #builds: string[] = [];

  private constructor(game: GameSource, files: stages.FileKeeper, bulk: BulkFiles | undefined) {
    this.#game = game;
    this.#files = files;
    this.#bulk = bulk;
  }

  /**
   * Begins the plan of a game.
   *
   * @param keeping where the files go
   * @param formats the formats besides JSON
   * @param newest how many of the newest builds are written in these formats
   */
  static async begin(
    game: GameSource,
    keeping: stages.Keeping,
    formats: readonly dist.BulkFormat[] = [],
    newest = Number.POSITIVE_INFINITY,
  ): Promise<GamePlanner> {
    const files = new stages.FileKeeper(keeping);
    if (keeping.in === 'stage') await stages.beginStage(keeping.place, game.slug);
    if (formats.length === 0) return new GamePlanner(game, files, undefined);
    const { BulkFiles } = await import('../bulk/bulk-files.ts');
    return new GamePlanner(game, files, new BulkFiles({ game, formats, newest, keeping, files }));
  }

  get newest(): dist.BuildEntry | undefined {
    return this.#entries.at(-1);
  }

  /** Adds a build whose files are already in dist/. */
  keepBuild(entry: dist.BuildEntry): void {
    this.#push(entry, undefined);
    this.#kept.add(entry.build);
  }

  /** Leaves a build out, as if the game did not have it. */
  leaveOut(build: string): void {
    this.#builds.push(build);
  }

  /** Adds the next build. @param more its dictionary, and the aliases of its records */
  async addBuild(
    content: EncodedBuild,
    { releasedIn, note, amended, renamed, as_of }: BuildSource,
    { diff, history, timeline }: BuildChanges,
    { attributes, aliases }: { attributes: AttributeDictionary; aliases: dist.Aliases },
  ): Promise<dist.BuildEntry> {
    const lists = encodeListsOf(content);
    const entry: dist.BuildEntry = {
      build: content.build,
      released_at: content.released_at,
      ...(Object.keys(releasedIn).length > 0 && { released_in: releasedIn }),
      note,
      amended: amended.map(({ at, reason }) => ({ at, reason })),
      ...this.#addAmendments(amended),
      ...(content.carried_from && { carried_from: content.carried_from }),
      ...(Object.keys(as_of).length > 0 && { as_of }),
      ...(Object.keys(renamed).length > 0 && { renamed }),
      ...(await this.#addContent(content, lists, false)),
      attributes: this.#addObject('attributes', attributes),
      ...(Object.keys(aliases).length > 0 && { aliases: this.#addObject('aliases', aliases) }),
      snapshot: await this.#addSnapshot(encodeSnapshot(content, lists)),
      diff: diff && this.#addObject('diff', diff),
      ...this.#addHistory(history),
      timeline: this.#addList('timeline', timeline),
    };
    await this.#files.settle();
    this.#push(entry, content);
    return entry;
  }

  /** Returns the plan. @param onBulk called before each build is written in other formats */
  async finish(onBulk: (build: string) => void = () => {}): Promise<GamePlan> {
    if (this.#newest) await this.#addContent(this.#newest, encodeListsOf(this.#newest), true);
    await this.#files.settle();
    const entries = this.#bulk ? await this.#bulk.addTo(this.#entries, this.#kept, onBulk) : this.#entries;
    const { slug, withdrawn, draft } = this.#game;
    const manifest: dist.Manifest = {
      slug,
      ...dist.descriptionOf(this.#game),
      ...(withdrawn.length > 0 && { withdrawn: [...withdrawn] }),
      builds: entries,
    };
    const ref = this.#addFile('manifest', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
    await this.#files.settle();
    const named = new Map([ref, ...entries.flatMap(dist.filesOf)].map(({ file, bytes }) => [file, bytes]));
    return {
      slug,
      manifest: ref,
      entries,
      builds: this.#builds,
      withdrawn: withdrawn.map(({ build }) => build),
      draft,
      ...this.#files.planned,
      bytes: [...named.values()].reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  #push(entry: dist.BuildEntry, content: EncodedBuild | undefined): void {
    const before = this.#entries.pop();
    if (before) this.#entries.push({ ...before, in_snapshot: true });
    this.#entries.push(entry);
    this.#newest = content;
    this.#builds.push(entry.build);
  }

  #addAmendments(amended: BuildSource['amended']): Pick<dist.BuildEntry, 'amendments'> {
    if (amended.every(({ changes }) => changes === undefined)) return {};
    return {
      amendments: amended.map(({ changes }) => (changes ? this.#addObject('amendment', changes) : null)),
    };
  }

  #addHistory([first, ...more]: BuildChanges['history']) {
    const history_pages = more.map((page) => this.#addObject('history', page));
    const history = this.#addObject('history', first);
    return { history, ...(more.length > 0 && { history_pages }) };
  }

  /** Returns the references to the lists of a build. @param areFiles whether dist/ also has them as files, not only in the snapshot */
  async #addContent({ roster, characters, datasets }: EncodedBuild, lists: EncodedLists, areFiles: boolean) {
    const refs: dist.DatasetRef[] = [];
    for (const [key, dataset] of datasets) {
      const bytes = lists.datasets.get(key) ?? Buffer.alloc(0);
      const ref = this.#addFile(stages.nameOfDataset(key), bytes, '', areFiles);
      const count = dataset.kind === 'list' ? dataset.records.length : 1;
      refs.push({ key, kind: dataset.kind, ...ref, count });
    }
    const file = this.#addFile('characters', lists.characters, '', areFiles);
    const records: dist.ListRef = { ...file, count: characters.length };
    // Often, full records have nothing that the entries lack.
    const isSame = roster.every((line, index) => line === characters[index]);
    const entries = isSame ? records : await this.#addRoster(roster, areFiles);
    return { roster: entries, characters: records, datasets: refs };
  }

  async #addRoster(lines: readonly string[], isFile: boolean): Promise<dist.RosterRef> {
    const bytes = Buffer.from(dist.encodeLines(lines));
    const ref = this.#addFile('roster', bytes, '', isFile);
    const gzip = this.#addFile('roster', await stages.compressGzip(bytes), '.gz');
    return { ...ref, count: lines.length, gzip };
  }

  async #addSnapshot(bytes: Buffer): Promise<dist.CompressedRef> {
    const { gzip, brotli } = await stages.compress(bytes);
    return {
      ...this.#refer('snapshot', bytes),
      gzip: this.#addFile('snapshot', gzip, '.gz'),
      brotli: this.#addFile('snapshot', brotli, '.br'),
    };
  }

  #addList(name: string, values: readonly object[]): dist.ListRef {
    const lines = dist.encodeLines(values.map((value) => JSON.stringify(value)));
    return { ...this.#addFile(name, Buffer.from(lines)), count: values.length };
  }

  #addObject(name: string, value: object): dist.FileRef {
    return this.#addFile(name, Buffer.from(`${JSON.stringify(value)}\n`));
  }

  #addFile(name: string, bytes: Buffer, suffix = '', isFile = true): dist.FileRef {
    const ref = this.#refer(name, bytes, suffix);
    if (isFile) this.#files.add(ref, bytes);
    return ref;
  }

  #refer(name: string, bytes: Buffer, suffix = ''): dist.FileRef {
    const sha256 = hash('sha256', bytes);
    const file = stages.fileOf(this.#game.slug, name, sha256) + suffix;
    return { file, bytes: bytes.length, sha256 };
  }
}

/**
 * Makes the index of the planned games.
 *
 * @param others games of the current index that were not built, and stay
 */
export function planIndex(plans: GamePlan[], others: dist.Index['games']): dist.Index {
  const games = [...others, ...plans.map(({ slug, manifest }) => ({ slug, manifest }))];
  return { format: dist.FORMAT, games: games.sort((a, b) => (a.slug < b.slug ? -1 : 1)) };
}

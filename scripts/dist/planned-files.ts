import type { FileRef } from '../format/dist-format.ts';
import { readSound } from './read-dist.ts';
import { Stage, type StagePlace } from './stage.ts';

/**
 * What happens to the files of a plan: `memory` keeps their bytes in the plan, for a few builds; `stage` writes them to the stage of a dist/
 * folder; `nothing` forgets them, when only findings are wanted.
 */
export type Keeping = { in: 'memory' } | { in: 'stage'; place: StagePlace } | { in: 'nothing' };

/** The files that were made for a plan. */
export interface PlannedFiles {
  /** The bytes of those in memory, by path in dist/. */
  files: Map<string, Uint8Array>;
  /** Those in the stage of dist/. */
  staged: FileRef[];
  /** Absent if there is no stage. */
  stage?: StagePlace;
}

/** Takes the files of a plan as they are made. */
export class FileKeeper {
  readonly #files = new Map<string, Uint8Array>();
  readonly #staged = new Map<string, FileRef>();
  readonly #isInMemory: boolean;
  readonly #stage: Stage | undefined;

  constructor(keeping: Keeping) {
    this.#isInMemory = keeping.in === 'memory';
    this.#stage = keeping.in === 'stage' ? new Stage(keeping.place) : undefined;
  }

  /** What was taken so far. */
  get planned(): PlannedFiles {
    const stage = this.#stage && { stage: this.#stage.place };
    return { files: this.#files, staged: [...this.#staged.values()], ...stage };
  }

  /** Takes a file. */
  async add(ref: FileRef, content: Uint8Array): Promise<void> {
    if (this.#isInMemory) this.#files.set(ref.file, content);
    if (this.#stage === undefined || this.#staged.has(ref.file)) return;
    const { file, bytes, sha256 } = ref;
    if (await this.#stage.add(ref, content)) this.#staged.set(file, { file, bytes, sha256 });
  }
}

/**
 * Reads a file that a plan names: from the plan, from the stage of dist/, or from dist/.
 *
 * @throws DamagedFile if it is missing or damaged
 */
export async function readPlanned(
  { files, stage }: Omit<PlannedFiles, 'staged'>,
  out: string,
  ref: FileRef,
): Promise<Buffer> {
  const made = files.get(ref.file) ?? (stage && (await new Stage(stage).read(ref)));
  return made ? Buffer.from(made) : await readSound(out, ref);
}

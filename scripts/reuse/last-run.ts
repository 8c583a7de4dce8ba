import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GamePlan } from '../dist/plan.ts';
import { filesOf, INDEX_FILE } from '../format/dist-format.ts';
import type { LastRun, Printed, Run } from '../game/reuse.ts';
import { makePrivateFolder, replacePrivateFile } from '../lib/private-files.ts';
import { MIN_SETTLED_MS, markOf, statOf } from './file-hashes.ts';
import { markFolder } from './folder-marks.ts';
import { LIBRARIES } from './libraries.ts';

interface Memory {
  inputs: string;
  /** A hash of the files that a run itself writes: each builds.lock.json, and dist/index.json. */
  written: string;
  /** Files of dist/, by path and size. */
  files: [string, number][];
  printed: Printed;
}

/** Compares only the marks of files. If this finds a change, `FileMemo` knows which builds are affected. */
export class MarkedRun implements LastRun {
  readonly #run: Run;
  readonly #file: string;
  readonly #began: number;
  readonly #inputs: { hash: string; newest: number } | undefined;

  /** @param now ms since 1970 */
  constructor(run: Run, now: number) {
    const place = sha256([path.resolve(run.data), path.resolve(run.out)]).slice(0, 8);
    this.#run = run;
    this.#file = path.join(run.cache, `last-run.${place}.json`);
    this.#began = now;
    this.#inputs = this.#readInputs();
  }

  async find(): Promise<Printed | undefined> {
    const memory = parse(await readFile(this.#file, 'utf8').catch(() => ''));
    if (memory === undefined || memory.inputs !== this.#inputs?.hash) return undefined;
    if (memory.written !== this.#readWritten()) return undefined;
    const { out } = this.#run;
    const whole = memory.files.every(([file, bytes]) => Number(statOf(path.join(out, file))?.size) === bytes);
    return whole ? memory.printed : undefined;
  }

  async remember(plans: readonly GamePlan[], printed: Printed): Promise<void> {
    const inputs = this.#inputs;
    // An input that was written just before the run could be written again with the same time stamp.
    if (inputs === undefined || this.#began - inputs.newest <= MIN_SETTLED_MS) return;
    if (this.#readInputs()?.hash !== inputs.hash) return;
    const named = plans.flatMap(({ manifest, entries }) => [manifest, ...entries.flatMap(filesOf)]);
    const memory: Memory = {
      inputs: inputs.hash,
      written: this.#readWritten(),
      files: [...new Map(named.map(({ file, bytes }) => [file, bytes]))],
      printed,
    };
    await makePrivateFolder(this.#run.cache)
      .then(() => replacePrivateFile(this.#file, Buffer.from(JSON.stringify(memory))))
      .catch(() => {});
  }

  #lockFiles(): string[] {
    return this.#run.slugs.map((slug) => path.join(this.#run.data, slug, 'builds.lock.json'));
  }

  #readInputs(): { hash: string; newest: number } | undefined {
    const { data, slugs, keepOthers, formats } = this.#run;
    const locks = new Set(this.#lockFiles());
    const games = slugs.map((slug) => markFolder(path.join(data, slug), locks));
    const code = markFolder(path.join(import.meta.dirname, '..'));
    const libraries = LIBRARIES.map((name) =>
      markOf(lstatSync(fileURLToPath(import.meta.resolve(name)), { bigint: true })),
    );
    if (code === undefined || games.includes(undefined)) return undefined;
    const texts = games.map((marks) => marks?.text);
    return {
      hash: sha256([process.version, data, keepOthers, formats, code.text, libraries, slugs, texts]),
      newest: Math.max(...games.map((marks) => marks?.newest ?? 0)),
    };
  }

  #readWritten(): string {
    const files = [...this.#lockFiles(), path.join(this.#run.out, INDEX_FILE)];
    return sha256(files.map(readIfThere));
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function parse(text: string): Memory | undefined {
  try {
    const { inputs, written, files, printed }: Partial<Memory> = JSON.parse(text);
    const isWhole = inputs && written && files && printed;
    return isWhole ? { inputs, written, files, printed } : undefined;
  } catch {
    return undefined;
  }
}

import { addFindings, type Finding } from '../findings/findings.ts';
import type { ReadOptions } from '../findings/read-options.ts';
import type { Steps } from '../findings/steps.ts';
import type { Json } from '../format/dist-format.ts';
import type { Overlays } from './overlays.ts';
import { parseFile } from './read-file.ts';

/** The contents of files. Each file is parsed once, even when many builds have it. */
export class ParsedFiles {
  /** By path, then by the options as JSON. */
  readonly #values = new Map<string, Map<string, Json | undefined>>();
  readonly #steps: Steps;
  readonly #hashes: ReadonlyMap<string, string>;

  /** @param hashes the SHA-256 that files must have, by path: those of files that builds name by reference */
  constructor(steps: Steps, hashes: ReadonlyMap<string, string> = new Map()) {
    this.#steps = steps;
    this.#hashes = hashes;
  }

  /**
   * Reads a file. A file that was read before with the same options is not read again.
   *
   * @param findings receives the findings about the file when it is parsed
   * @returns undefined when it cannot be parsed
   */
  async read(file: string, options: ReadOptions, findings: Finding[]): Promise<Json | undefined> {
    const readings = this.#values.get(file) ?? new Map<string, Json | undefined>();
    this.#values.set(file, readings);
    const reading = JSON.stringify(options);
    if (!readings.has(reading)) {
      this.#steps.beginStep(`reading ${file}`, file);
      const outcome = await parseFile(file, options, this.#hashes.get(file));
      addFindings(findings, 'finding' in outcome ? [outcome.finding] : outcome.findings);
      readings.set(reading, 'value' in outcome ? outcome.value : undefined);
    }
    return readings.get(reading);
  }

  /** Forgets files that no later build has. */
  dropReplaced(overlays: Overlays): void {
    const current = new Set([...overlays.values()].flatMap((overlay) => [...overlay.values()]));
    for (const file of this.#values.keys()) if (!current.has(file)) this.#values.delete(file);
  }
}

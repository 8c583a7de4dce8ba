import { addFindings, type Finding } from '../findings/findings.ts';
import type { ReadOptions } from '../findings/read-options.ts';
import type { Steps } from '../findings/steps.ts';
import type { Json } from '../format/dist-format.ts';
import type { Overlays } from './overlays.ts';
import { parseFile } from './read-file.ts';

/** What files hold, each parsed once however many builds have it. */
export class ParsedFiles {
  /** By path, and by the options with which it was read. */
  readonly #values = new Map<string, Map<string, Json | undefined>>();
  readonly #steps: Steps;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /**
   * @param findings gets what is wrong with the file, the first time it is read
   * @returns undefined where it cannot be parsed
   */
  async read(file: string, options: ReadOptions, findings: Finding[]): Promise<Json | undefined> {
    const readings = this.#values.get(file) ?? new Map<string, Json | undefined>();
    this.#values.set(file, readings);
    const reading = JSON.stringify(options);
    if (!readings.has(reading)) {
      this.#steps.beginStep(`reading ${file}`, file);
      const outcome = await parseFile(file, options);
      addFindings(findings, 'finding' in outcome ? [outcome.finding] : outcome.findings);
      readings.set(reading, 'value' in outcome ? outcome.value : undefined);
    }
    return readings.get(reading);
  }

  /** Forgets files that no later build can ask for. */
  dropReplaced(overlays: Overlays): void {
    const current = new Set([...overlays.values()].flatMap((overlay) => [...overlay.values()]));
    for (const file of this.#values.keys()) if (!current.has(file)) this.#values.delete(file);
  }
}

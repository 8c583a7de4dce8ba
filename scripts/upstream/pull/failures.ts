import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder, replacePrivateFile } from '../../lib/private-files.ts';
import { parseJson } from '../../read/formats/json.ts';
import { compileSchema } from '../../schemas/schema.ts';

/** What a round does: it pulls and builds each game, then it publishes all of them. `quiet` is no step: upstream has no new build for long. */
export type Step = 'pull' | 'build' | 'publish' | 'quiet';

/** A step that failed in the last round. */
export interface Failure {
  step: Step;
  /** The game; undefined for publishing, which concerns all of them. */
  game?: string;
  /** When it failed first, ISO 8601 in UTC. */
  since: string;
  /** Why it failed last. */
  error: string;
  /** Whether the operator got a notice. */
  reported?: boolean;
  /** When the step worked again, if the operator did not get the notice of that yet. */
  ended?: string;
}

const STEPS: readonly Step[] = ['pull', 'build', 'publish', 'quiet'];
const text = { type: 'string' };
const instant = { type: 'string', format: 'instant' };
const validFailures = compileSchema<Failure[]>({
  type: 'array',
  items: {
    type: 'object',
    required: ['step', 'since', 'error'],
    additionalProperties: false,
    properties: {
      step: { enum: STEPS },
      game: text,
      since: instant,
      error: text,
      reported: { type: 'boolean' },
      ended: instant,
    },
  },
});

/**
 * Which steps fail round after round. Kept in a file, so that a service that was killed, or that a timer starts for each round, reports a failure once.
 * A step is reported when it fails in at least two rounds that are at least some time apart, and again when it works.
 */
export class Failures {
  readonly #file: string;
  readonly #reportAfterMs: number;
  #failures: Failure[];
  #saved: string;

  private constructor(file: string, reportAfterMs: number, failures: Failure[]) {
    this.#file = file;
    this.#reportAfterMs = reportAfterMs;
    this.#failures = failures;
    this.#saved = `${JSON.stringify(failures, null, 2)}\n`;
  }

  /**
   * Reads what failed before. A file that is not valid is as good as none.
   *
   * @param folder where the file is kept
   */
  static async read(folder: string, reportAfterMs: number): Promise<Failures> {
    const file = path.join(folder, 'failures.json');
    const parsed = parseJson(await readFile(file, 'utf8').catch(() => '[]'), file);
    const failures = 'value' in parsed && validFailures(parsed.value) ? parsed.value : [];
    return new Failures(file, reportAfterMs, failures);
  }

  /**
   * Notes how a step ended.
   *
   * @param error why it failed; undefined if it worked
   * @param now ms since 1970
   * @returns the failure, if the operator should get a notice: with `ended`, that it works again
   */
  note(step: Step, game: string | undefined, error: string | undefined, now: number): Failure | undefined {
    const before = this.#find(step, game);
    const at = new Date(now).toISOString();
    if (error === undefined) {
      return this.#replace(before, before?.reported ? { ended: at, ...before } : undefined);
    }
    const begun: Failure = { step, ...(game !== undefined && { game }), since: at, error };
    const { ended: _, ...known } = before ?? begun;
    const failure = this.#replace(before, { ...known, error });
    const isDue = before !== undefined && now - Date.parse(before.since) >= this.#reportAfterMs;
    return isDue && !before.reported ? failure : undefined;
  }

  /** Notes that the operator got the notice of a failure, or of its end. */
  noteDelivered(failure: Failure): void {
    this.#replace(
      this.#find(failure.step, failure.game),
      failure.ended === undefined ? { ...failure, reported: true } : undefined,
    );
  }

  /** Writes the file if something has changed. */
  async save(): Promise<void> {
    const text = `${JSON.stringify(this.#failures, null, 2)}\n`;
    if (text === this.#saved) return;
    await makePrivateFolder(path.dirname(this.#file));
    await replacePrivateFile(this.#file, Buffer.from(text));
    this.#saved = text;
  }

  #find(step: Step, game: string | undefined): Failure | undefined {
    return this.#failures.find((each) => each.step === step && each.game === game);
  }

  #replace(before: Failure | undefined, failure: Failure | undefined): Failure | undefined {
    this.#failures = [...this.#failures.filter((each) => each !== before), ...(failure ? [failure] : [])];
    return failure;
  }
}

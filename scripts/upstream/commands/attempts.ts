import { CommandError, toCommandError } from '../../lib/command-error.ts';
import { orCommandError } from '../../lib/system-error.ts';
import type { Notify } from '../notify/notifier.ts';
import type { Failure, Failures, Step } from '../pull/failures.ts';

/** Takes the steps of a round. A step that fails concerns itself only; one that keeps failing is reported to the operator. */
export class Attempts {
  readonly #failures: Failures;
  readonly #notify: Notify;
  /** What was printed last about each subject, which is not printed again. */
  readonly #said = new Map<string, string>();

  constructor(failures: Failures, notify: Notify) {
    this.#failures = failures;
    this.#notify = notify;
  }

  /**
   * Takes a step.
   *
   * @param game undefined for a step that concerns all games
   * @returns what `work` returns; false after a failure
   */
  async take(step: Step, game: string | undefined, work: () => Promise<boolean>): Promise<boolean> {
    const name = game ?? step;
    const key = `${step} of ${name}`;
    const outcome = await orFailure(work(), 'files cannot be read or written');
    const error = outcome instanceof CommandError ? outcome.message : undefined;
    if (error !== undefined) this.say(key, process.stderr, `${name}: ${error}\n`);
    else if (this.#said.delete(key)) process.stdout.write(`${name}: ${step} works again\n`);
    const isReported = await this.#report(step, game, error);
    return isReported && outcome === true;
  }

  /** Prints and reports what a person should know of a game although no step failed. @param warning undefined if it is over */
  async warn(game: string, warning: string | undefined): Promise<void> {
    if (warning === undefined) this.#said.delete(`quiet ${game}`);
    else this.say(`quiet ${game}`, process.stderr, `${game}: warning: ${warning}\n`);
    await this.#report('quiet', game, warning);
  }

  /** Prints a text about a subject, if it is not what was printed last about it. */
  say(subject: string, stream: NodeJS.WriteStream, text: string): void {
    if (this.#said.get(subject) !== text) stream.write(text);
    this.#said.set(subject, text);
  }

  /** Sends the notice that is due. Returns whether none is left to send. */
  async #report(step: Step, game: string | undefined, error: string | undefined): Promise<boolean> {
    const failure = this.#failures.note(step, game, error, Date.now());
    const failed = failure === undefined ? [] : await this.#send(failure);
    if (failure && failed.length === 0) this.#failures.noteDelivered(failure);
    for (const reason of failed) process.stderr.write(`${game ?? step}: this is not reported: ${reason}\n`);
    const saved = await orFailure(this.#failures.save(), 'what fails cannot be noted');
    if (saved instanceof CommandError) this.say('failures', process.stderr, `${saved.message}\n`);
    return failed.length === 0;
  }

  async #send({ step, game, since, error, ended }: Failure): Promise<string[]> {
    const type = ended === undefined ? 'pull.failing' : 'pull.recovered';
    return await this.#notify({ type, game, step, since, error }, ended ?? new Date().toISOString());
  }
}

/** Returns a failure instead of throwing it, so that what one game meets ends that game's step only; for an error of the operating system, `what` begins its message. */
async function orFailure<T>(work: Promise<T>, what: string): Promise<T | CommandError> {
  return await orCommandError(work, (reason) => `${what}: ${reason}`).catch((error: unknown) => {
    return toCommandError(error);
  });
}

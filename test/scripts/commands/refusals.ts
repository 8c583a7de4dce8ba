import * as assert from 'uvu/assert';
import type { Outcome } from '../../support/run-in-process.ts';

/** Arguments that a command refuses, its exit code and its message. */
export type Refusal = [args: string[], code: number, message: string | RegExp];

/** Checks that a command refuses each of them, and prints no result. */
export async function checkRefusals(
  run: (args: string[]) => Promise<Outcome>,
  refusals: readonly Refusal[],
): Promise<void> {
  for (const [args, expected, message] of refusals) {
    const { code, stdout, stderr } = await run(args);
    assert.equal([code, stdout], [expected, ''], args.join(' '));
    assert.match(stderr, message);
  }
}

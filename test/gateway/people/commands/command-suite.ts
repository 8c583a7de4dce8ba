import path from 'node:path';
import { suite } from 'uvu';
import { makeFolder } from '../../../support/fixtures.ts';
import { type Outcome, runInProcess } from '../../../support/run-in-process.ts';

export interface CommandContext {
  folder: string;
  /** The store, a folder in it. */
  store: string;
  /** Runs `gateway` on the store. */
  run(...args: string[]): Promise<Outcome>;
}

/**
 * Makes a suite of commands. Each test has a store of its own.
 *
 * @param now what the commands take for the time, in ms since 1970; without it, the real time
 */
export function commandSuite<Context extends CommandContext = CommandContext>(
  name: string,
  env: Record<string, string> = {},
  now?: number,
) {
  const test = suite<Context>(name);
  test.before.each(async (context) => {
    context.folder = await makeFolder('commands');
    context.store = path.join(context.folder, 'store');
    context.run = (...args) =>
      runInProcess('gateway', args, { env: { ...env, GATEWAY_STORE: context.store }, now });
  });
  return test;
}

/** Runs commands that its parent process sends, one after the other: with a process for all of them, they cost little. */
import { runInProcess } from '../support/run-in-process.ts';
import type { HostedCommand } from './changing-commands.ts';

process.on('message', async ({ name, args, cwd, env = {} }: HostedCommand) => {
  const outcome = await runInProcess(name, [...args], { cwd, env: { ...env } });
  // A database that could not be closed keeps its files until its statements are garbage, in place of the end of a process.
  globalThis.gc?.();
  process.send?.(outcome);
});

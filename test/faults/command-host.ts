/** Runs commands that its parent process sends, one after the other: with a process for all of them, they cost little. */
import type { CommandName } from '../support/command.ts';
import { runInProcess } from '../support/run-in-process.ts';

process.on('message', ({ name, args, cwd }: { name: CommandName; args: string[]; cwd: string }) => {
  void runInProcess(name, args, { cwd }).then((outcome) => process.send?.(outcome));
});

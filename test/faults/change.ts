import type { CommandName } from '../support/command.ts';
import { runInProcess } from '../support/run-in-process.ts';

/** A command that changes something below its working directory. */
export interface Change {
  name: CommandName;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /**
   * Reads back what the command said it did.
   *
   * @param cwd its working directory
   * @param stdout what it printed
   * @returns whether it is there
   */
  isDone(cwd: string, stdout: string): Promise<boolean>;
}

/** What a command has to print; it can depend on what another one printed before. */
export type Pattern = RegExp | ((stdout: string) => RegExp);

/** Reads a change back by another command. */
export function printedBy(
  name: CommandName,
  args: readonly string[],
  pattern: Pattern,
  env: Readonly<Record<string, string>> = {},
): Change['isDone'] {
  return async (cwd, stdout) => {
    const { code, stdout: printed } = await runInProcess(name, [...args], { cwd, env: { ...env } });
    return code === 0 && (typeof pattern === 'function' ? pattern(stdout) : pattern).test(printed);
  };
}

import type { Tier } from '../../gateway/access/account.ts';
import type { CommandName } from './command.ts';

const RUNS: Record<CommandName, (words: string[]) => Promise<number>> = {
  async gamedata(words) {
    const { runGamedata } = await import('../../scripts/commands/program.ts');
    const { startInProcess } = await import('./workers-in-process.ts');
    return await runGamedata(words, startInProcess);
  },
  async gateway(words) {
    const { runGateway } = await import('../../gateway/program.ts');
    return await runGateway(words);
  },
};

/** How a command that ran in this process ended. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** What `Date.now` returns to it, in ms since 1970; without it, the real time. */
  now?: number | undefined;
}

/** The previous command. Commands run one after the other, because they share the streams, folder and environment of this process. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `gamedata` or `gateway` in this process, after the previous commands. It shows what commands print and how they end. A test of
 * signals, of several commands at once, or of what a process leaves behind needs `runCommand`.
 */
export function runInProcess(name: CommandName, args: string[], options: Options = {}): Promise<Outcome> {
  const outcome = last.then(() => run(name, args, options));
  last = outcome.catch(() => {});
  return outcome;
}

/** Issues a key in the store of a gateway, which may run. */
export async function issueKeyIn(store: string, tier: Tier, email = `${tier}@example.org`): Promise<string> {
  const words = ['keys', 'issue', email, '--tier', tier, '--store', store, '--json'];
  const { stdout } = await runInProcess('gateway', words);
  return (JSON.parse(stdout) as { key: string }).key;
}

async function run(name: CommandName, args: string[], { cwd, env = {}, now }: Options): Promise<Outcome> {
  const before = { cwd: process.cwd(), env: process.env, now: Date.now };
  const inherited = Object.entries(before.env).filter(([key]) => !key.startsWith('GATEWAY_'));
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  process.env = { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env };
  if (cwd !== undefined) process.chdir(cwd);
  if (now !== undefined) Date.now = () => now;
  try {
    const code = await RUNS[name](args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    Date.now = before.now;
    process.chdir(before.cwd);
    process.env = before.env;
    for (const captured of [stdout, stderr]) captured.restore();
  }
}

/** Captures what is written to a stream, which is not a terminal until `restore`. */
function capture(stream: NodeJS.WriteStream): { text: () => string; restore: () => void } {
  const { write, isTTY } = stream;
  const listeners = stream.listeners('error');
  let written = '';
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    written += chunk.toString();
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  stream.isTTY = false;
  return {
    text: () => written,
    restore() {
      stream.write = write;
      stream.isTTY = isTTY;
      stream.removeAllListeners('error');
      for (const listener of listeners) stream.on('error', listener as () => void);
    },
  };
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import { atEnd } from './at-end.ts';
import { BUILD } from './paths.ts';

const COMMANDS = {
  gamedata: path.join(BUILD, 'scripts/cli.js'),
  gateway: path.join(BUILD, 'gateway/cli.js'),
};

/** `gamedata` or `gateway`. */
export type CommandName = keyof typeof COMMANDS;

/** Far more than any command needs. It ends a test that waits in vain. */
const MAX_WAIT_MS = 300_000;

/** How a command ended. */
export interface Ended {
  code: number | null;
  /** The signal that ended it; null if it exited. */
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A command that is running. */
export interface Running {
  child: ChildProcessWithoutNullStreams;
  /** Waits until what it wrote to stdout matches; rejects if it ends before that, or after five minutes. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  /** The same for stderr. */
  printedError(pattern: RegExp): Promise<RegExpMatchArray>;
  ended: Promise<Ended>;
}

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** Whether it leads a process group: then a signal to its negated pid reaches all processes that it starts. */
  detached?: boolean;
  /** After how many ms it is killed; without it, never. */
  longest?: number;
}

/** The program and the arguments that run the compiled `gamedata` or `gateway`. */
export function commandLine(name: CommandName, args: string[]): [string, ...string[]] {
  return [process.execPath, COMMANDS[name], ...args];
}

/** Starts the compiled `gamedata` or `gateway`. */
export function startCommand(name: CommandName, args: string[], options: Options = {}): Running {
  const [program, ...rest] = commandLine(name, args);
  return startProcess(program, rest, options);
}

/** Runs `gamedata` or `gateway` until it ends. After five minutes it is killed, and its code is null. */
export function runCommand(name: CommandName, args: string[], options: Options = {}): Promise<Ended> {
  return startCommand(name, args, { ...options, longest: MAX_WAIT_MS }).ended;
}

const running = new Set<Running>();

/** Kills the processes that are still running; also called after the last test of a file. */
export async function killStarted(): Promise<void> {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Starts any program, without the gateway's settings that are in the environment of this process. */
export function startProcess(
  program: string,
  args: string[],
  { cwd = process.cwd(), env = {}, detached = false, longest = 0 }: Options = {},
): Running {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEWAY_'));
  const child = spawn(program, args, {
    cwd,
    detached,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    timeout: longest,
    killSignal: 'SIGKILL',
  });
  child.stdin.end();
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  const written = (stream: 'stdout' | 'stderr', pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const fail = () => reject(new Error(`did not write ${pattern} to ${stream}:\n${stdout}${stderr}`));
      setTimeout(fail, MAX_WAIT_MS).unref();
      const look = () => {
        const match = (stream === 'stdout' ? stdout : stderr).match(pattern);
        if (!match) return;
        child[stream].off('data', look);
        resolve(match);
      };
      child[stream].on('data', look);
      look();
      void ended.then(fail);
    });
  const started: Running = {
    child,
    ended,
    printed: (pattern) => written('stdout', pattern),
    printedError: (pattern) => written('stderr', pattern),
  };
  running.add(started);
  atEnd(killStarted);
  void ended.then(() => running.delete(started));
  return started;
}

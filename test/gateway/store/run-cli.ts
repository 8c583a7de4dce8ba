import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What a process left behind. */
export interface Outcome {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Runs `gateway` with these arguments in a process of its own, without the environment's own GATEWAY_ settings. */
export function runCli(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return runNode(['gateway/cli.ts', ...args], env);
}

/** Runs a module's source in a process of its own; relative imports start at the root of the package. */
export function runSource(source: string): Promise<Outcome> {
  return runNode(['--input-type=module', '--eval', source], {});
}

function runNode(args: string[], env: Record<string, string>): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEWAY_'));
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      const stdout = Buffer.concat(chunks.stdout).toString();
      done({ code, signal, stdout, stderr: Buffer.concat(chunks.stderr).toString() });
    });
  });
}

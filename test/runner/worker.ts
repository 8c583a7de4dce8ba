import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/**
 * Runs test files, one after the other, in this process: most of what a small one costs is to load the modules that it shares with
 * others. Takes the paths of compiled files as lines; after each it writes the mark that it was started with to both streams.
 */
const [, , mark = ''] = process.argv;

/** Longer than it takes to close anything. */
const LONGEST_CLOSE_MS = 30_000;

// Streams open when they are first used: now, so that no file seems to have left them open.
for (const stream of [process.stdout, process.stderr]) stream.write('');

// As uvu's own command line does: files fill the queue, and it is run when they have.
const queue: unknown[][] = [];
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: queue, UVU_INDEX: 0 });
const { exec } = await import('uvu');

/** How the file ended, besides what uvu wrote. */
export interface Report {
  isFailed: boolean;
  cpuSeconds: number;
}

async function run(file: string): Promise<Report> {
  const before = { env: { ...process.env }, cwd: process.cwd(), open: listOpen() };
  queue.splice(0, queue.length, [null]);
  await import(pathToFileURL(file).href);
  await exec();
  const isFailed = Boolean(process.exitCode);
  process.exitCode = 0;
  restoreEnvironment(before.env);
  process.chdir(before.cwd);
  const left = await waitUntilClosed(before.open);
  if (left.length > 0) process.stderr.write(`left open: ${left.join(', ')}\n`);
  return { isFailed: isFailed || left.length > 0, cpuSeconds: readCpuSeconds() };
}

let used = 0;

/** What was used since it was asked before; at first, since the process began. */
function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const since = (user + system) / 1e6 - used;
  used += since;
  return since;
}

function restoreEnvironment(before: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}

/** What keeps the process from ending: servers, sockets, timers. */
function listOpen(): string[] {
  return process.getActiveResourcesInfo();
}

/** Waits until a file has left nothing open, which would keep a process of its own from ending. @returns what it did leave */
async function waitUntilClosed(before: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + LONGEST_CLOSE_MS;
  let left = without(listOpen(), before);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    left = without(listOpen(), before);
  }
  return left;
}

function without(list: readonly string[], taken: readonly string[]): string[] {
  const rest = [...taken];
  return list.filter((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

// The next line comes when this one is done, so that no two files run at once. (Reading lines by `for await` would pause the input.)
createInterface({ input: process.stdin }).on('line', async (file) => {
  const report = await run(file);
  process.stderr.write(mark);
  process.stdout.write(`${mark}${JSON.stringify(report)}\n`);
});

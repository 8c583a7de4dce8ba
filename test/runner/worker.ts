import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import './open-doors.ts';

/**
 * Runs test files one after the other in this process, because a small file spends most of its time loading modules that files share.
 * Reads the paths of compiled files as lines. After each file it writes its mark, an argument, to stdout and stderr.
 */
const [, , mark = ''] = process.argv;

/** More than closing anything needs. */
const MAX_CLOSE_MS = 30_000;

// Streams open at their first use. They are opened here, so that no file seems to have left them open.
for (const stream of [process.stdout, process.stderr]) stream.write('');

// As in uvu's command line, files add their tests to the queue, which runs afterwards.
const queue: unknown[][] = [];
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: queue, UVU_INDEX: 0 });
const { exec } = await import('uvu');

/** How the file ended, besides uvu's output. */
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

/** The processor time used since the last call, or since the process began. */
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

/** Waits until nothing that a file opened is still open. @returns what stays open, and would keep a process from ending */
async function waitUntilClosed(before: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + MAX_CLOSE_MS;
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

// The next line comes only after this one is done, so that no two files run at once. (`for await` would pause the input.)
createInterface({ input: process.stdin }).on('line', async (file) => {
  const report = await run(file);
  process.stderr.write(mark);
  process.stdout.write(`${mark}${JSON.stringify(report)}\n`);
});

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import fastGlob from 'fast-glob';
import { BUILD, ROOT } from './support/paths.ts';

const HELP = `npm test                    the quick tests, which start no other process
npm run test:process        the others: programs, servers, browsers, real dumps, long tests
npm test -- <path>...       the files whose path in test/ contains one of these, e.g. gateway/query
`;

/** Far more than any file needs, even on a busy machine. */
const MAX_FILE_MS = 8 * 60_000;

const WORKER = path.join(import.meta.dirname, 'runner/worker.js');

/** How the tests of a file ended: the counts are those of uvu's summary. */
interface Ran {
  file: string;
  output: string;
  isFailed: boolean;
  total: number;
  passed: number;
  skipped: number;
  seconds: number;
}

/** A process that runs test files one after the other: starting one for each file would take longer than most files. */
class Worker {
  readonly child: ChildProcess;
  #output = '';

  constructor() {
    this.child = fork(WORKER, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    running.add(this);
  }

  async run(file: string): Promise<Ran> {
    const started = performance.now();
    this.#output = '';
    const timer = setTimeout(() => {
      this.#output += `\ntook longer than ${MAX_FILE_MS / 1000} s, and was killed\n`;
      this.kill();
    }, MAX_FILE_MS);
    this.child.send(path.join(BUILD, 'test', file.replace(/\.ts$/, '.js')));
    const ended = new AbortController();
    const [isFailed] = await Promise.race([
      once(this.child, 'message', { signal: ended.signal }),
      once(this.child, 'close', { signal: ended.signal }).then(() => [undefined]),
    ]);
    ended.abort();
    clearTimeout(timer);
    await setImmediate(); // The last of the output may arrive after the message.
    if (isFailed === undefined) this.kill();
    return readResult(file, this.#output, isFailed !== false, (performance.now() - started) / 1000);
  }

  /** Kills it and whatever its tests left running. */
  kill(): void {
    running.delete(this);
    try {
      process.kill(-(this.child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }

  get isRunning(): boolean {
    return running.has(this);
  }
}

const running = new Set<Worker>();

/** Reads uvu's summary. A file that ran no test has failed, and so has one that ended before its summary. */
function readResult(file: string, output: string, isFailed: boolean, seconds: number): Ran {
  const plain = stripVTControlCharacters(output);
  const summary = /\n {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)/.exec(plain);
  const [total = 0, passed = 0, skipped = 0] = summary?.slice(1).map(Number) ?? [];
  if (total + skipped === 0)
    return {
      file,
      output: `${output}\nended before its tests were done\n`,
      isFailed: true,
      total: 1,
      passed: 0,
      skipped: 0,
      seconds,
    };
  return { file, output, isFailed: isFailed || passed < total, total, passed, skipped, seconds };
}

/** Whether a file starts processes, compiles real dumps or takes long: `npm test` leaves it out. */
function isProcessTest(file: string): boolean {
  return file.endsWith('.process.test.ts') || file.startsWith('upstream/');
}

/** Runs the files, one more at a time than there are processors, as files also wait for disks and other processes. */
async function runFiles(files: readonly string[]): Promise<Ran[]> {
  const waiting = [...files];
  const ran: Ran[] = [];
  const lane = async () => {
    let worker: Worker | undefined;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      worker ??= new Worker();
      const result = await worker.run(file);
      process.stdout.write(`${file}\n${result.output}\n`);
      ran.push(result);
      if (isProcessTest(file)) worker.kill();
      if (!worker.isRunning) worker = undefined;
    }
    worker?.kill();
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane));
  return ran;
}

/** The closing lines: what was slow, what failed and how to repeat it, and the counts. `.ci/run` reads the last line. */
function renderReport(ran: readonly Ran[], seconds: number): string {
  const slow = [...ran].sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  const failed = ran.filter(({ isFailed }) => isFailed);
  const repeat = ({ file, output }: Ran) => {
    const seed = /\bseed: (-?\d+)/.exec(output)?.[1];
    return `  ${seed === undefined ? '' : `GAMEDATA_SEED=${seed} `}npm test -- ${file}\n`;
  };
  const sum = (count: (one: Ran) => number) => ran.reduce((all, one) => all + count(one), 0);
  const [total, passed, skipped] = [
    sum((one) => one.total),
    sum((one) => one.passed),
    sum((one) => one.skipped),
  ];
  return [
    '\nThe slowest files, in seconds:\n',
    ...slow.map((one) => `${one.seconds.toFixed(1).padStart(7)}  ${one.file}\n`),
    failed.length > 0 ? `\nRun again what failed:\n${failed.map(repeat).join('')}` : '',
    `\n${ran.length} files in ${seconds.toFixed(1)} s\n`,
    `${passed} passed, ${Math.max(total - passed, failed.length > 0 ? 1 : 0)} failed, ${skipped} skipped\n`,
  ].join('');
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { process: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const worker of running) worker.kill();
    process.exit(1);
  });

const folder = path.join(ROOT, 'test');
const all = await fastGlob('**/*.test.ts', { cwd: folder });
const chosen = all.filter((file) =>
  positionals.length > 0
    ? positionals.some((part) => `test/${file}`.includes(part))
    : isProcessTest(file) === Boolean(values.process),
);
if (chosen.length === 0) {
  process.stderr.write(`no test file has ${positionals.join(' or ')} in its path\n`);
  process.exit(1);
}
/** How long a file may take, by its size. The cases of these two are in other files. */
const weigh = (file: string) =>
  /^(golden|end-to-end\/docs)\//.test(file) ? Infinity : statSync(path.join(folder, file)).size;
// Long files first, so that no lane is still busy when the others have ended.
chosen.sort((a, b) => (weigh(a) < weigh(b) ? 1 : -1));
const started = performance.now();
const ran = await runFiles(chosen);
process.stdout.write(renderReport(ran, (performance.now() - started) / 1000));
process.exit(ran.some(({ isFailed }) => isFailed) ? 1 : 0);

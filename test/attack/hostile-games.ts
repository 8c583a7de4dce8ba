import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Terms } from '../campaigns/campaign.ts';
import { commandLine, startProcess } from '../support/command.ts';
import { gameFiles, inFolder, writeFiles } from '../support/fixtures.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { CANARY, type HostileFolder, hostileFolders } from './hostile-folders.ts';

/** The limits of the compiler for each game, and what may be needed besides. */
const LIMIT_SECONDS = 5;
const LIMIT_MEBIBYTES = 512;
const PROCESSES = 3;
/** How many folders are compiled in each round, and how many of them are such that only a limit ends them. */
const ALL = { count: 1000, endless: 2 };
/** The same in a short campaign. */
const SOME = { count: 30, endless: 1 };
/** A campaign that lasts at most as many seconds is short. */
const SHORT_SECONDS = 10;
/** How long a folder may take at most, on average; far more than it needs. */
const MAX_FOLDER_MS = 10_000;
const POLL_MS = 100;
/** What no message may show: code, and errors that nobody has thought of. */
const INNER =
  /internal-error|\bat (async )?[\w.#<>]+ \(|node:internal|RangeError|TypeError|UnhandledPromise|FATAL ERROR/;

/** Folders of games that strangers have made to break the compiler. */
export const campaign: AttackCampaign = {
  name: 'hostile games',
  about:
    'game folders with patterns, links, texts, names and expressions made to break the compiler: findings in bounded time and memory; nothing outside is read or written',
  needs: [],
  async run(terms) {
    const tally = new Tally(terms);
    while (!terms.isOver()) {
      const root = await mkdtemp(path.join(tmpdir(), 'attack-'));
      try {
        await compileHostile(root, terms, tally);
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    }
    return tally.figures;
  },
};

async function compileHostile(root: string, terms: Terms, tally: Tally): Promise<void> {
  const outside = path.join(root, 'outside');
  const secret = path.join(outside, 'secret.json');
  await writeFiles(outside, { 'secret.json': [{ id: CANARY, name: CANARY, title: CANARY }] });
  const folders = chooseFolders(hostileFolders(outside), terms);
  for (const [slug, folder] of folders) await writeFolder(path.join(root, 'data', slug), folder, outside);
  await writeFiles(path.join(root, 'data'), inFolder('good', gameFiles()));
  const before = await describeFolder(root);
  const { text, ms, signal } = await runCompiler(root, tally);
  tally.tried(folders.length);
  tally.took(ms);
  if (signal) tally.gotThrough(`the compiler ended with ${signal}`);
  if (ms > folders.length * MAX_FOLDER_MS) tally.gotThrough(`${folders.length} folders took ${ms} ms`);
  const shown = text.split('\n').find((line) => INNER.test(line) || line.includes(CANARY));
  if (shown) tally.gotThrough(`the compiler printed ${shown.slice(0, 500)}`);
  if (/data\/good\b/.test(text)) tally.gotThrough('the good game has a finding');
  if ((await describeFolder(root)) !== before) tally.gotThrough('the compiler wrote outside of its folders');
  if (!(await readFile(secret, 'utf8')).includes(CANARY)) tally.gotThrough(`${secret} was changed`);
  for (const file of await listFiles(path.join(root, 'own'))) {
    if ((await readFile(file)).includes(CANARY)) tally.gotThrough(`${file} has what is in ${secret}`);
  }
}

/** Chooses folders at random. */
function chooseFolders(all: ReadonlyMap<string, HostileFolder>, { random, seconds }: Terms) {
  const { count, endless } = seconds > SHORT_SECONDS ? ALL : SOME;
  const mixed = [...all].map((folder) => ({ folder, at: random() })).sort((a, b) => a.at - b.at);
  const folders = mixed.map(({ folder }) => folder);
  const left = folders.filter(([, { isEndless }]) => isEndless).slice(endless);
  return folders.filter((folder) => !left.includes(folder)).slice(0, count);
}

async function writeFolder(folder: string, { files, links, pipes, sparse }: HostileFolder, outside: string) {
  const writable = Object.entries(files).filter(([file]) => !file.includes('\0'));
  await writeFiles(folder, Object.fromEntries(writable));
  for (const [file, target] of Object.entries(links ?? {})) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await symlink(target.replace('OUTSIDE', outside), path.join(folder, file));
  }
  for (const pipe of pipes ?? []) spawnSync('mkfifo', [path.join(folder, pipe)]);
  for (const [file, length] of Object.entries(sparse ?? {})) {
    const handle = await open(path.join(folder, file), 'w');
    await handle.truncate(length);
    await handle.close();
  }
}

/** Runs `gamedata build` with all of its files in the folder `own`. */
async function runCompiler(root: string, tally: Tally) {
  const limits = ['--time-limit', LIMIT_SECONDS, '--memory-limit', LIMIT_MEBIBYTES, '--jobs', PROCESSES - 1];
  const args = [
    'build',
    '--data',
    'data',
    '--out',
    'own/dist',
    '--cache',
    'own/cache',
    ...limits.map(String),
  ];
  const [program, ...rest] = commandLine('gamedata', args);
  const started = performance.now();
  const { child, ended } = startProcess(program, rest, { cwd: root });
  const timer = setInterval(() => void readMemory(child.pid).then((bytes) => tally.held(bytes)), POLL_MS);
  const { stdout, stderr, signal } = await ended;
  clearInterval(timer);
  return { text: stdout + stderr, ms: performance.now() - started, signal };
}

/** The most memory that a process and its children have needed, in bytes. */
async function readMemory(pid: number | undefined): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const peaks = await Promise.all(
    [String(pid), ...children.split(' ').filter(Boolean)].map(async (each) => {
      const status = await readFile(`/proc/${each}/status`, 'utf8').catch(() => '');
      return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
    }),
  );
  return peaks.reduce((sum, peak) => sum + peak, 0);
}

/** The names and times of everything in a folder, except what the compiler may write. */
async function describeFolder(root: string): Promise<string> {
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const own = path.join(root, 'own');
  const files = names
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => !file.startsWith(own))
    .sort();
  const times = await Promise.all(
    files.map(async (file) => (await stat(file).catch(() => undefined))?.mtimeMs),
  );
  return JSON.stringify(files.map((file, index) => [file, times[index]]));
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

// Compares the exchanges of the world with the record, or writes it: see CONTRIBUTING.md.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlainResponse } from '../support/plain-request.ts';
import { render, renderBody, sha256 } from './record.ts';
import { CASES, type Case, nameOf } from './requests.ts';
import { type KeyName, listFiles, NOW, openWorld, type World, withShipped } from './world.ts';

const RECORD = fileURLToPath(new URL('../../../test/golden/record', import.meta.url));
/** The clock moves on by a minute before each family, and after so many requests of keys that have a quota or are not valid. */
const AT_ONCE = 9;
const MINUTE_MS = 60_001;
const SHIPPED_DATA = fileURLToPath(new URL('../../../data', import.meta.url));
const SHIPPED = 'shipped.txt';
const MAX_SHOWN = 20;

/** The files of the record as they should be now. */
type Files = Map<string, string>;

/** Sends all requests in their order. @param see is called with each response */
async function recordExchanges(
  world: World,
  see: (asked: Case, answered: PlainResponse) => void,
): Promise<Files> {
  const families = new Map<string, string[]>();
  let [time, counted] = [NOW, 0];
  for (const asked of CASES) {
    const isCounted = asked.key !== 'pro' && asked.key !== null && !asked.isLimited;
    const isNext = !families.has(asked.family) || (isCounted && ++counted % AT_ONCE === 0);
    if (isNext || asked.at !== undefined) {
      time = asked.at ?? time + MINUTE_MS;
      await world.setTime(time);
    }
    for (let sent = 1; sent < (asked.repeat ?? 1); sent++) await send(world, asked);
    const answered = await send(world, asked);
    see(asked, answered);
    const blocks = families.get(asked.family) ?? [];
    blocks.push(`### ${nameOf(asked)}\n${render(answered, asked, world)}\n`);
    families.set(asked.family, blocks);
  }
  return new Map([...families].map(([name, blocks]) => [`${name}.txt`, blocks.join('\n')]));
}

async function send(world: World, asked: Case): Promise<PlainResponse> {
  const { method = 'GET', key, headers = {}, body, again, follows } = asked;
  const value =
    key === null ? undefined : key in UNKNOWN_KEYS ? UNKNOWN_KEYS[key] : world.keys[key as KeyName];
  const sent = {
    method,
    path: asked.path.replace('<token>', world.token),
    headers: {
      ...(value !== undefined && { 'x-api-key': value }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  };
  const answered = await world.ask(sent);
  if (again) {
    const known = again(String(answered.headers.etag));
    return await world.ask({ ...sent, headers: { ...sent.headers, ...known } });
  }
  if (!follows) return answered;
  const { url } = JSON.parse(answered.body.toString()) as { url: string };
  return await world.ask({ method, path: follows(new URL(url)), headers });
}

/** One that was never issued, in the form that keys have, and one in no such form. */
const UNKNOWN_KEYS: { [name: string]: string } = {
  bad: 'gdr_6fbhtobdrwhdi3bsba6khi6z6oxkdo6tbtxryoo',
  malformed: 'gdr_x',
};

async function recordDist(dist: string): Promise<string> {
  const files = await listFiles(dist);
  const lines = files.map(async (file) => `${lineOf(file, await readFile(path.join(dist, file)))}\n`);
  return (await Promise.all(lines)).join('');
}

/** Opens the world, and records it. */
export async function makeRecord(
  see: (asked: Case, answered: PlainResponse) => void = () => {},
): Promise<Files> {
  const world = await openWorld();
  try {
    return new Map([['dist.txt', await recordDist(world.dist)], ...(await recordExchanges(world, see))]);
  } finally {
    await world.close();
  }
}

function lineOf(file: string, content: Uint8Array | string): string {
  return `${file} ${sha256(content).slice(0, 16)}`;
}

/**
 * Compiles all shipped games, and records the files. The hash of what they were made from comes first: a game of which that changed
 * is not compared, so that nobody who adds a build has to accept it here too.
 */
export async function recordShipped(): Promise<Files> {
  const entries = await readdir(SHIPPED_DATA, { withFileTypes: true });
  const slugs = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const sources = await Promise.all(slugs.sort().map(sourceLine));
  return new Map([[SHIPPED, `${sources.join('\n')}\n${await withShipped(recordDist)}`]]);
}

async function sourceLine(slug: string): Promise<string> {
  return lineOf(`data/${slug}`, await recordDist(path.join(SHIPPED_DATA, slug)));
}

/** Which of a game's compiled files the record has not, unless the game has changed. */
export async function findUnrecorded(slug: string, files: ReadonlyMap<string, Uint8Array>) {
  const recorded = new Set((await readFile(path.join(RECORD, SHIPPED), 'utf8')).split('\n'));
  if (!recorded.has(await sourceLine(slug))) return [];
  return [...files].map(([file, content]) => lineOf(file, content)).filter((line) => !recorded.has(line));
}

/** The lines without those of games whose sources differ. */
function leaveChanged(text: string, other: string): string {
  const lines = text.split('\n');
  const others = new Set(other.split('\n'));
  const same = lines.filter((line) => line.startsWith('data/') && others.has(line));
  const slugs = new Set(same.map((line) => line.slice('data/'.length, line.indexOf(' '))));
  return lines.filter((line) => slugs.has(line.slice(0, line.indexOf('/')))).join('\n');
}

/** What differs from the record that is stored: a text for each exchange and file. */
export async function findDifferences(made: Files): Promise<string[]> {
  const stored = await listStored(made);
  const found = [...new Set([...stored, ...made.keys()])].map(async (name) => {
    const before = stored.includes(name) ? await readFile(path.join(RECORD, name), 'utf8') : '';
    const after = made.get(name) ?? '';
    if (name !== SHIPPED) return compareFiles(name, before, after);
    return compareFiles(name, leaveChanged(before, after), leaveChanged(after, before));
  });
  return (await Promise.all(found)).flat();
}

/** The files of the stored record that are of the same part: of the shipped games, or of all else. */
async function listStored(made: Files): Promise<string[]> {
  return (await listFiles(RECORD)).filter((name) => (name === SHIPPED) === made.has(SHIPPED));
}

function compareFiles(file: string, before: string, after: string): string[] {
  if (before === after) return [];
  const [was, is] = [blocksOf(before), blocksOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.get(name) !== is.get(name))
    .map((name) => `${file}: ${name}\n${diffLines(was.get(name) ?? '', is.get(name) ?? '')}`);
}

function blocksOf(text: string): Map<string, string> {
  if (!text.startsWith('### '))
    return new Map(
      text
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(' ')), line]),
    );
  const blocks = new Map<string, string>();
  for (const block of text.split(/^### /m).slice(1)) {
    const end = block.indexOf('\n');
    let name = block.slice(0, end);
    while (blocks.has(name)) name += ' again';
    blocks.set(name, block.slice(end + 1).trimEnd());
  }
  return blocks;
}

/** Both texts without the lines that they begin and end with alike, apart from two of them. */
function diffLines(before: string, after: string): string {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(was.length, is.length);
  let start = 0;
  while (start < shortest && was[start] === is[start]) start++;
  let end = 0;
  while (end < shortest - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const show = (lines: string[], mark: string) => lines.map((line) => `  ${mark} ${line}`);
  return [
    ...show(was.slice(Math.max(0, start - 2), start), ' '),
    ...show(was.slice(start, was.length - end), '-'),
    ...show(is.slice(start, is.length - end), '+'),
    ...show(end === 0 ? [] : was.slice(-end).slice(0, 2), ' '),
  ].join('\n');
}

/** `npm run golden`: see CONTRIBUTING.md. */
async function main(args: string[]): Promise<number> {
  const [part] = args.filter((word) => word !== '--write' && word !== 'shipped');
  const show = (asked: Case, answered: PlainResponse) => {
    if (part !== undefined && nameOf(asked).includes(part))
      process.stdout.write(`### ${nameOf(asked)}\n${answered.status}\n${renderBody(answered, asked)}\n\n`);
  };
  const made = await (args.includes('shipped') ? recordShipped() : makeRecord(show));
  if (part !== undefined) return 0;
  const differences = await findDifferences(made);
  process.stdout.write(differences.map((each) => `${each}\n\n`).join(''));
  process.stdout.write(`${differences.length} differences\n`);
  if (!args.includes('--write')) return differences.length === 0 ? 0 : 1;
  for (const name of await listStored(made)) await rm(path.join(RECORD, name));
  for (const [name, content] of made) await writeFile(path.join(RECORD, name), content);
  return 0;
}

/** The differences of the record, as the message of a test. */
export function describe(differences: readonly string[]): string {
  const more = differences.length - MAX_SHOWN;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return [
    `${differences.length} differences from test/golden/record (- recorded, + now); to accept them: npm run golden -- --write`,
    ...differences.slice(0, MAX_SHOWN),
    ...rest,
  ].join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));

// Compares the exchanges of the world with the record, or writes it: see CONTRIBUTING.md.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { layOut, render, renderBody, sha256 } from './record.ts';
import { CASES, type Case, nameOf } from './requests.ts';
import { type Answered, type KeyName, listFiles, NOW, openWorld, type World } from './world.ts';

const RECORD = fileURLToPath(new URL('../../../test/golden/record', import.meta.url));
/** The clock moves on by a minute before each family, and after so many requests of keys that have a quota or are not valid. */
const AT_ONCE = 9;
const MINUTE_MS = 60_001;
const MAX_SHOWN = 20;

/** The files of the record as they should be now. */
type Record = Map<string, string>;

/** Sends all requests in their order. @param see is called with each response */
async function recordExchanges(
  world: World,
  see: (asked: Case, answered: Answered) => void,
): Promise<Record> {
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

async function send(world: World, asked: Case): Promise<Answered> {
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
  const hashes = await Promise.all(files.map(async (file) => sha256(await readFile(path.join(dist, file)))));
  return `${layOut(Object.fromEntries(files.map((file, index) => [file, hashes[index]?.slice(0, 16)])))}\n`;
}

/** Opens the world, and records it. */
export async function makeRecord(see: (asked: Case, answered: Answered) => void = () => {}): Promise<Record> {
  const world = await openWorld();
  try {
    return new Map([['dist.json', await recordDist(world.dist)], ...(await recordExchanges(world, see))]);
  } finally {
    await world.close();
  }
}

/** What differs from the record that is stored: a text for each exchange and file. */
export async function findDifferences(made: Record): Promise<string[]> {
  const stored = await listFiles(RECORD);
  const names = [...new Set([...stored.filter((name) => name !== 'shipped.json'), ...made.keys()])];
  const found = names.map(async (name) => {
    const before = stored.includes(name) ? await readFile(path.join(RECORD, name), 'utf8') : '';
    return compareFiles(name, before, made.get(name) ?? '');
  });
  return (await Promise.all(found)).flat();
}

function compareFiles(file: string, before: string, after: string): string[] {
  if (before === after) return [];
  const [was, is] = [blocksOf(before), blocksOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.get(name) !== is.get(name))
    .map((name) => `${file}: ${name}\n${diffLines(was.get(name) ?? '', is.get(name) ?? '')}`);
}

function blocksOf(text: string): Map<string, string> {
  if (!text.startsWith('### ')) return new Map([['', text]]);
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

/** `npm run golden`: compares. @param args `--write` accepts; a part of requests prints the whole responses to them */
async function main(args: string[]): Promise<number> {
  const part = args[0] === '--write' ? undefined : args[0];
  const made = await makeRecord((asked, answered) => {
    if (part !== undefined && nameOf(asked).includes(part))
      process.stdout.write(`### ${nameOf(asked)}\n${answered.status}\n${renderBody(answered, asked)}\n\n`);
  });
  if (part !== undefined) return 0;
  const differences = await findDifferences(made);
  process.stdout.write(differences.map((each) => `${each}\n\n`).join(''));
  process.stdout.write(`${CASES.length} exchanges, ${differences.length} differences\n`);
  if (args[0] !== '--write') return differences.length === 0 ? 0 : 1;
  for (const name of await listFiles(RECORD))
    if (!made.has(name) && name !== 'shipped.json') await rm(path.join(RECORD, name));
  await mkdir(RECORD, { recursive: true });
  for (const [name, text] of made) await writeFile(path.join(RECORD, name), text);
  return 0;
}

/** The differences of the record, as the message of a test. */
export function describe(differences: readonly string[]): string {
  const more = differences.length - MAX_SHOWN;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return [
    `${differences.length} differences from test/golden/record (- recorded, + now); accept them with npm run golden -- --write`,
    ...differences.slice(0, MAX_SHOWN),
    ...rest,
  ].join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));

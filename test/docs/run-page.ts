import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { startProcess } from '../support/command.ts';
import { findFreePort } from '../support/free-port.ts';
import { runInProcess } from '../support/run-in-process.ts';
import type { Program } from '../support/skip.ts';
import type { Place } from './demo.ts';
import { type Block, placeOf, readBlocks } from './pages.ts';

/** Marks the end of a block's output; the block's exit code follows. No command prints it. */
const MARK = '\u001e';

/** Far more than any page needs. */
const MAX_PAGE_MS = 300_000;

const NEEDS = 'needs ';

/** The quick start: it has started the gateway of the tests, and it starts the tests. */
const QUICK_START = /^npm ci && npm (start|test)\n$/;

/** Whether the tests run a block. A block of `sh` that they do not run says why. */
export function isRun({ language, role, text }: Block): boolean {
  return language === 'sh' && !role.startsWith('not-run: ') && !QUICK_START.test(text);
}

/** The programs that blocks need and that may not be installed. */
export function neededPrograms(blocks: readonly Block[]): Program[] {
  const needing = blocks.filter(({ language, role }) => language === 'sh' && role.startsWith(NEEDS));
  return needing.flatMap(({ role }) => role.slice(NEEDS.length).split(' ')) as Program[];
}

/** How a block ended, and what it wrote to stdout and stderr. */
interface BlockResult {
  block: Block;
  printed: string;
  /** Undefined if the shell ended during the block. */
  code: number | undefined;
}

/** Runs the `sh` blocks of a page as `runBlocks` does, then removes the games that they made: no page depends on another. */
export async function runPage(page: string, place: Place): Promise<void> {
  const data = path.join(place.folder, 'data');
  const before = await readdir(data);
  try {
    const blocks = await readBlocks(page);
    await runBlocks(blocks, await giveKey(page, blocks, place));
  } finally {
    await takeKey(page, place);
    const made = (await readdir(data)).filter((name) => !before.includes(name));
    for (const name of made) await rm(path.join(data, name), { recursive: true });
  }
}

/** Gives a page that uses a free key one of its own: together, pages send more requests than one key may in a minute. */
async function giveKey(page: string, blocks: readonly Block[], place: Place): Promise<Place> {
  const { gateway, folder } = place;
  if (gateway === undefined || !blocks.some((block) => isRun(block) && /\$KEY\b/.test(block.text)))
    return place;
  const { stdout, stderr } = await runInProcess('gateway', ['keys', 'issue', emailOf(page), '--json'], {
    cwd: folder,
  });
  assert.match(stdout, /^{/, stderr);
  const { key } = JSON.parse(stdout) as { key: string };
  return { ...place, gateway: { ...gateway, key } };
}

/** Deletes the account of a page's key, so that other pages list no keys except theirs. */
async function takeKey(page: string, { gateway, folder }: Place): Promise<void> {
  if (gateway === undefined) return;
  await runInProcess('gateway', ['accounts', 'delete', emailOf(page)], { cwd: folder });
}

function emailOf(page: string): string {
  return `${path.basename(page, '.md')}@pages.example.org`;
}

/**
 * Runs the `sh` blocks of a page in one shell, like a reader who pastes them. Compares what each prints with the block `output` after it.
 * A block with the role `fails` has to end with exit code 1, the others with 0.
 *
 * If `npm start` runs, `KEY` and `PRO_KEY` are set, and http://127.0.0.1:3000 is its gateway. Every other port is replaced by a free one.
 */
async function runBlocks(blocks: readonly Block[], place: Place): Promise<void> {
  const ports = await choosePorts(blocks, place);
  const withPorts = (text: string) =>
    text.replaceAll(PORT, (_, before: string, port: string) => before + ports.get(port));
  for (const { block, printed, code } of await runInShell(blocks.filter(isRun), place, withPorts)) {
    const expectedCode = block.role === 'fails' ? 1 : 0;
    assert.is(code, expectedCode, `${placeOf(block)}\n${block.text}\n${printed}`);
    const next = blocks[blocks.indexOf(block) + 1];
    if (next?.role === 'output') checkOutput(next.language, printed, withPorts(next.text), placeOf(next));
  }
}

/** A port in an address or an option. */
const PORT = /(127\.0\.0\.1:|--(?:metrics-)?port )(\d{4,5})\b/g;

async function choosePorts(blocks: readonly Block[], { gateway }: Place): Promise<Map<string, string>> {
  const ports = new Map(gateway ? [['3000', new URL(gateway.address).port]] : []);
  for (const { text } of blocks) {
    for (const [, , port = ''] of text.matchAll(PORT)) {
      if (!ports.has(port)) ports.set(port, String(await findFreePort()));
    }
  }
  return ports;
}

async function runInShell(
  blocks: readonly Block[],
  { folder, env, gateway }: Place,
  withPorts: (text: string) => string,
): Promise<BlockResult[]> {
  const script = path.join(folder, 'var', 'page.sh');
  await writeFile(script, withPorts(toScript(blocks)));
  const { stdout } = await startProcess('bash', [script], {
    cwd: folder,
    env: { ...env, ...(gateway && { KEY: gateway.key, PRO_KEY: gateway.proKey }) },
    longest: MAX_PAGE_MS,
  }).ended;
  const parts = stdout.split(MARK);
  const ended = blocks.map((block, index) => {
    const code = parts[2 * index + 1];
    return { block, printed: parts[2 * index] ?? '', code: code === undefined ? undefined : Number(code) };
  });
  const failed = ended.findIndex(({ code }) => code === undefined);
  return failed < 0 ? ended : ended.slice(0, failed + 1);
}

/** One script of all blocks. It ends what they leave running in the background. */
function toScript(blocks: readonly Block[]): string {
  const mark = `printf '${MARK}%d${MARK}' $?`;
  const parts = blocks.map(({ role, text }) =>
    role === 'fails' ? `set +e\n(set -e\n${text})\n${mark}\nset -e\n` : `${text}${mark}\n`,
  );
  return `exec 2>&1\ntrap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\nset -e\n${parts.join('')}`;
}

/** Matches anything: part of a line or of a JSON string, whole lines, or a whole JSON value. */
const ANYTHING = '…';

/**
 * Compares what a block printed with what the page shows.
 *
 * @param language `json` compares values, every other language compares lines
 * @throws if they differ
 */
function checkOutput(language: string, printed: string, shown: string, place: string): void {
  if (language === 'json') checkJson(printed, shown, place);
  else checkLines(printed, shown, place);
}

function checkLines(printed: string, shown: string, place: string): void {
  const [actual, expected] = [normalise(printed), normalise(shown)];
  const pattern = expected.split('\n').map(toPattern).join('');
  if (!new RegExp(`^${pattern}$`).test(`${actual}\n`)) assert.fixture(actual, expected, place);
}

/** Without the carriage returns of HTTP headers and the white space at the ends of lines. */
function normalise(text: string): string {
  return text.replace(/[ \t\r]+$/gm, '').trim();
}

/** A line that consists of `…` matches any number of lines. */
function toPattern(line: string): string {
  return line.trim() === ANYTHING ? '(?:.*\n)*?' : `${escapeText(line)}\n`;
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(ANYTHING, '.*');
}

function checkJson(printed: string, shown: string, place: string): void {
  const actual: unknown = JSON.parse(printed);
  const expected: unknown = JSON.parse(shown);
  assert.equal(withAnything(actual, expected), expected, place);
}

/** The actual value, with `…` wherever the expected value has it and the actual value fits. */
function withAnything(actual: unknown, expected: unknown): unknown {
  if (expected === ANYTHING && actual !== undefined) return ANYTHING;
  if (typeof expected === 'string' && typeof actual === 'string') {
    return new RegExp(`^${escapeText(expected)}$`).test(actual) ? expected : actual;
  }
  if (Array.isArray(actual)) return withAnyElements(actual, expected);
  if (typeof actual !== 'object' || actual === null) return actual;
  if (typeof expected !== 'object' || expected === null) return actual;
  const known = expected as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(actual).map(([name, value]) => [name, withAnything(value, known[name])]),
  );
}

/** A list whose last shown element is `…` may have any number of further elements. */
function withAnyElements(actual: unknown[], expected: unknown): unknown {
  if (!Array.isArray(expected)) return actual;
  const isOpen = expected.at(-1) === ANYTHING;
  const count = isOpen ? expected.length - 1 : actual.length;
  const elements = actual.slice(0, count).map((element, index) => withAnything(element, expected[index]));
  return isOpen && actual.length >= count ? [...elements, ANYTHING] : elements;
}

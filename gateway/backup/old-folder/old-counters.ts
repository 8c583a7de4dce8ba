import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Counters } from '../../access/counters.ts';
import { type CounterChange, CounterState } from '../../store/counter-state.ts';

/** `set` replaces the counters of an account, in a snapshot. */
type Change = CounterChange | readonly ['set', account: string, counters: string];

/** A line. Version 0.1.0 wrote changes as texts, such as `+10/200:acc_1`. */
type Line = [at: number, writer: string, ...changes: (Change | string)[]];

/** The line after which a segment has no more. */
const END = '"end"';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Reads what accounts have used from the log of counters in an old folder. The log is that of this boot of the machine: an old version does
 * not read earlier ones either.
 *
 * @param now ms since 1970
 * @returns account → what it has in use
 */
export function readOldCounters(folder: string, now: number): Map<string, Counters> {
  const state = new CounterState();
  const accounts = new Set<string>();
  let id = 0;
  for (const [at, _writer, ...parts] of readLines(join(folder, nameLog()))) {
    const changes = parts.flatMap((part) => (typeof part === 'string' ? parseText(part) : [part]));
    for (const change of changes) accounts.add(change[1]);
    state.apply({ id: ++id, at: state.timeAt(at), changes: changes.flatMap(withoutSet) });
  }
  const used = [...accounts].map((account) => [account, state.read(account, now).counters] as const);
  return new Map(used.filter(([, { times, count }]) => times.length > 0 || count > 0));
}

/** Yields the lines of the newest snapshot, then those of the segments from there on. A line that was not written whole is left out. */
function* readLines(log: string): Generator<Line> {
  const numbers = (kind: string) =>
    (existsSync(log) ? readdirSync(log) : [])
      .filter((name) => name.endsWith(`.${kind}`))
      .map((name) => Number.parseInt(name, 10));
  const first = Math.max(1, ...numbers('snapshot'));
  const segments = numbers('log').filter((number) => number >= first);
  const files = [
    `${pad(first)}.snapshot`,
    ...segments.sort((a, b) => a - b).map((number) => `${pad(number)}.log`),
  ];
  for (const file of files.map((name) => join(log, name)).filter((path) => existsSync(path))) {
    for (const text of readFileSync(file, 'utf8').split('\n')) {
      if (text === END) break;
      const line = parseLine(text);
      if (line) yield line;
    }
  }
}

function parseLine(text: string): Line | undefined {
  try {
    const line: Line = JSON.parse(text);
    return Array.isArray(line) && typeof line[0] === 'number' ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a change of version 0.1.0: `+<minute>/<day>:`, `-<time>:`, `=<counters>:` or `!:`, and the account. */
function parseText(text: string): Change[] {
  const [, kind, details = '', account = ''] = /^([-+=!])([^:]*):(.*)$/s.exec(text) ?? [];
  const [minute, day] = details.split('/').map(Number);
  if (kind === '+') return [['count', account, minute ?? 0, day ?? 0]];
  if (kind === '-') return [['uncount', account, Number(details)]];
  if (kind === '=') return [['set', account, details]];
  return kind === '!' ? [['forget', account]] : [];
}

function withoutSet(change: Change): CounterChange[] {
  if (change[0] !== 'set') return [change];
  return [
    ['forget', change[1]],
    ['merge', change[1], change[2]],
  ];
}

function pad(number: number): string {
  return String(number).padStart(10, '0');
}

function nameLog(): string {
  try {
    return `quota-${readFileSync(BOOT_ID, 'utf8').slice(0, 8)}`;
  } catch {
    return 'quota';
  }
}

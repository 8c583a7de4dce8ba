import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Limits } from '../../../../gateway/plans/counters.ts';
import { CounterLog } from '../../../../gateway/store/counters/counter-log.ts';
import type { CounterChange } from '../../../../gateway/store/counters/line.ts';

export const NOW = Date.parse('2030-05-01T12:00:00Z');
export const ENDLESS = { minute: 1e6, day: 1e6 };

/** A folder for logs of counters. */
export class Place {
  readonly path = mkdtempSync(join(tmpdir(), 'counter-log-'));
  now = NOW;
  readonly #opened: CounterLog[] = [];

  /** A log that has read what is there. */
  open({ segmentBytes = 1e6 } = {}): CounterLog {
    const log = new CounterLog({ folder: this.path, now: () => this.now, segmentBytes });
    this.#opened.push(log);
    log.read('a');
    return log;
  }

  files(): string[] {
    return readdirSync(this.path).sort();
  }

  newest(kind = '.log'): string {
    const names = this.files().filter((name) => name.endsWith(kind));
    return join(this.path, names.at(-1) as string);
  }

  /** All files, with short names. */
  kinds(): string {
    return this.files()
      .map((name) => name.replace(/^0+/, '').replace(/[0-9a-f]{12}/, 'own'))
      .sort()
      .join(' ');
  }

  /** Of the newest segment. */
  number(): number {
    return Number.parseInt(basename(this.newest()), 10);
  }

  append(text: string): void {
    appendFileSync(this.newest(), text);
  }

  remove(): void {
    for (const log of this.#opened) log.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function counting(account: string, { minute, day }: Limits): CounterChange {
  return ['count', account, minute, day];
}

export function takingBack(account: string, time: number): CounterChange {
  return ['uncount', account, time];
}

export const MANY = Array.from({ length: 250 }, (_, n) => `account-${n}`);

/** Counts a request of each of many accounts, makes the segment long, and begins the next. */
export function countMany(log: CounterLog, beforeNext: () => void = () => {}): void {
  log.change(MANY.map((name) => counting(name, ENDLESS)));
  log.change(new Array(5000).fill(takingBack('none', 0)));
  beforeNext();
  log.change([takingBack('none', 0)]);
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { type FileResult, readResult } from './file-result.ts';
import { watchGroup } from './groups.ts';
import type { Report } from './worker.ts';

const WORKER = path.join(import.meta.dirname, 'worker.js');

/** A process that runs test files one after the other. If a file ends it or takes too long, a new process replaces it. */
export class SharedProcess {
  #worker: Worker | undefined;

  /**
   * Runs a compiled test file.
   *
   * @param maxMs after which the process is killed, and the file has failed
   */
  async run(file: string, maxMs: number): Promise<FileResult> {
    this.#worker ??= new Worker();
    const worker = this.#worker;
    const result = await worker.run(file, maxMs);
    if (worker.hasEnded) this.#worker = undefined;
    return result;
  }

  async close(): Promise<void> {
    await this.#worker?.close();
    this.#worker = undefined;
  }
}

/** One process, until it ends. */
class Worker {
  hasEnded = false;
  readonly #mark = `\n${randomUUID()}`;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #group: { kill(): void };
  readonly #ended: Promise<unknown>;
  readonly #ran: string[] = [];
  #out = '';
  #errors = '';

  constructor() {
    this.#child = spawn(process.execPath, [WORKER, this.#mark], {
      detached: true,
      env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
    });
    this.#group = watchGroup(this.#child);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    // Writing to a process that has just ended fails. That is ignored, because its end is reported.
    this.#child.stdin.on('error', () => {});
    this.#ended = once(this.#child, 'close').then(() => {
      this.hasEnded = true;
    });
  }

  async run(file: string, maxMs: number): Promise<FileResult> {
    const started = performance.now();
    [this.#out, this.#errors] = ['', ''];
    let late = '';
    const timer = setTimeout(() => {
      late = `took longer than ${maxMs / 1000} s, and was killed\n`;
      this.#group.kill();
    }, maxMs);
    this.#child.stdin.write(`${file}\n`);
    const report = await Promise.race([this.#reported(), this.#ended.then(() => undefined)]);
    clearTimeout(timer);
    const seconds = (performance.now() - started) / 1000;
    const [out = '', errors = ''] = [this.#out, this.#errors].map((text) => text.split(this.#mark)[0]);
    const before = this.#ran.length === 0 ? '' : `after ${this.#ran.join(', ')} in the same process\n`;
    this.#ran.push(path.basename(file));
    if (report) return readResult({ out, errors, seconds, ...report });
    this.#group.kill();
    return readResult({ out, errors: errors + late + before, seconds, isFailed: true, cpuSeconds: 0 });
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
    this.#group.kill();
  }

  /** Waits for the marks that follow a file's output. */
  async #reported(): Promise<Report | undefined> {
    const { stdout, stderr } = this.#child;
    const line = () => this.#out.split(this.#mark)[1];
    while (!line()?.endsWith('\n') && !this.hasEnded) await once(stdout, 'data');
    while (!this.#errors.includes(this.#mark) && !this.hasEnded) await once(stderr, 'data');
    return JSON.parse(line() ?? '') as Report;
  }
}

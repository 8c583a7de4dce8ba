import cluster, { type Worker } from 'node:cluster';
import { addUp, counter, type Family, gauge, only } from './family.ts';
import type { MakeReport, ProcessReport } from './report.ts';

/** How long a worker may take for its report, in ms. */
const PATIENCE_MS = 1000;
const ASK = 'gateway:report?';
const TELL = 'gateway:report';

/** The message with a worker's report. */
interface Message {
  kind: typeof TELL;
  /** The number of the request. */
  id: number;
  report: ProcessReport;
}

/** Sends this worker's report each time that the main process requests it. */
export function sendReports(makeReport: MakeReport): void {
  process.on('message', (message: { kind?: unknown; id?: unknown }) => {
    if (message.kind !== ASK) return;
    void makeReport().then((report) => {
      // The channel is closed when the main process has ended.
      if (process.connected) process.send?.({ kind: TELL, id: message.id, report });
    });
  });
}

/**
 * Asks all workers of this process for their reports. A worker that does not respond in time is part of the result, with its last
 * sums, such as counters and memory: if they fell, Prometheus would assume a restart. The counters of workers that have ended are included for the same reason.
 */
export class WorkerReports {
  readonly #patience: number;
  /** The last report of each worker that runs, by its id. */
  readonly #last = new Map<number, ProcessReport>();
  /** The counters of all workers that have ended. */
  #retired: Family[] = [];
  #ended = 0;
  #questions = 0;

  constructor(patience = PATIENCE_MS) {
    this.#patience = patience;
    cluster.on('exit', (worker) => this.#retire(worker));
  }

  /** Reads the report of each worker, and one of this process. */
  async read(): Promise<ProcessReport[]> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const replies = await Promise.all(workers.map((worker) => this.#ask(worker)));
    const reports = workers.map((worker, at) => {
      const report = replies[at];
      if (report) this.#last.set(worker.id, report);
      return report ?? this.#describeSilent(worker);
    });
    const silent = replies.filter((reply) => reply === undefined).length;
    return [...reports, { pid: process.pid, metrics: this.#describe(workers.length, silent), parts: [] }];
  }

  #ask(worker: Worker): Promise<ProcessReport | undefined> {
    const id = ++this.#questions;
    return new Promise((resolve) => {
      const end = (report: ProcessReport | undefined) => {
        clearTimeout(timer);
        worker.off('message', listen);
        resolve(report);
      };
      const listen = (message: Partial<Message>) => {
        if (message.kind === TELL && message.id === id) end(message.report);
      };
      const timer = setTimeout(() => end(undefined), this.#patience);
      worker.on('message', listen);
      if (worker.isConnected()) worker.send({ kind: ASK, id }, (error) => error && end(undefined));
      else end(undefined);
    });
  }

  #describeSilent({ id, process: { pid = 0 } }: Worker): ProcessReport {
    const detail =
      'It does not report within a second: it is starting, very busy, or hangs. If it stays silent, end it with SIGKILL; a new worker replaces it.';
    return {
      pid,
      metrics: (this.#last.get(id)?.metrics ?? []).filter(isKept),
      parts: [{ part: 'worker', name: String(pid), status: 'degraded', detail }],
    };
  }

  #describe(workers: number, silent: number): Family[] {
    return [
      ...this.#retired,
      gauge(
        { name: 'gateway_workers', help: 'Processes that serve, by whether they report in time.' },
        'sum',
        [
          { value: workers - silent, labels: { state: 'reporting' } },
          { value: silent, labels: { state: 'silent' } },
        ],
      ),
      counter(
        { name: 'gateway_workers_ended', help: 'Workers that ended since the start.' },
        only(this.#ended),
      ),
      gauge(
        { name: 'process_resident_memory_bytes', help: 'Memory of all processes.' },
        'sum',
        only(process.memoryUsage.rss()),
      ),
    ];
  }

  #retire({ id }: Worker): void {
    this.#ended++;
    this.#retired = addUp([...this.#retired, ...countersOf(this.#last.get(id)?.metrics ?? [])]);
    this.#last.delete(id);
  }
}

/** Returns whether a metric keeps its last value while its worker is silent: a sum, such as of memory, must not fall for that. */
function isKept({ type, aggregator }: Family): boolean {
  return type !== 'gauge' || aggregator === 'sum';
}

function countersOf(metrics: readonly Family[]): Family[] {
  return metrics.filter(({ type }) => type !== 'gauge');
}

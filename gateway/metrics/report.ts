import type { Family } from './family.ts';

/** The metrics and parts of a process at one moment. It is plain data, so that processes can send it. */
export interface ProcessReport {
  pid: number;
  metrics: Family[];
  parts: Part[];
}

/** The status of a part of a gateway, for `/statusz`. */
export interface Part {
  part: 'gateway' | 'data' | 'game' | 'store' | 'quotas' | 'alerts' | 'worker';
  /** Which one, where there are several. */
  name?: string;
  /** `ok`: it works. `degraded`: the gateway serves, but something does not work. `down`: requests fail. */
  status: 'ok' | 'degraded' | 'down';
  /** One sentence: the status and, unless it is `ok`, what the operator can do. */
  detail: string;
}

/** Makes the report of this process. It never rejects. */
export type MakeReport = () => Promise<ProcessReport>;

import type { Family } from './family.ts';

/** What a process says about itself at a moment. It is plain data, so that processes can send it. */
export interface ProcessReport {
  pid: number;
  metrics: Family[];
  parts: Part[];
}

/** How a part of a gateway does, for `/statusz`. */
export interface Part {
  part: 'gateway' | 'data' | 'game' | 'store' | 'quotas' | 'alerts' | 'worker';
  /** Which one, where there are several. */
  name?: string;
  /** `ok`: as it should be. `degraded`: the gateway serves, but not as it should. `down`: requests fail. */
  status: 'ok' | 'degraded' | 'down';
  /** One sentence: how it is and, unless it is ok, what the operator can do. */
  detail: string;
}

/** Makes the report of this process. It never rejects. */
export type MakeReport = () => Promise<ProcessReport>;

import type { DataReport } from './read-records.ts';

/** What the child is to do. */
export interface ChildTask {
  /** The folder whose data file is read. */
  folder: string;
  /** An empty folder, in which a copy is made and read instead. */
  copyTo?: string;
}

/** A report on the data file, or why it cannot be read. */
export type ChildOutcome = { report: DataReport } | { fault: string };

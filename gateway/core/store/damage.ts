import { StoreError } from './store.ts';

/** A record exists, but its content is damaged. */
export class DamagedRecordError extends StoreError {
  override name = 'DamagedRecordError';

  constructor(record: string) {
    super(
      `${describeRecord(record)} is damaged; gateway store verify lists it, and a backup may have it undamaged`,
    );
  }
}

/** Describes a record by its kind only, because its name may contain an email address. */
export function describeRecord(name: string): string {
  const kind = /^[\w-]+(?=:)/.exec(name)?.[0];
  return kind === undefined ? 'a record of the store' : `a record of the kind "${kind}" in the store`;
}

/** Returns a function that calls `report` once for each damaged record, by its name. */
export function reportOnce(report: (record: string) => void = () => {}): (record: string) => void {
  const reported = new Set<string>();
  return (record) => {
    if (reported.has(record)) return;
    reported.add(record);
    report(record);
  };
}

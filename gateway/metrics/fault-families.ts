import { counter, type Family, gauge, only } from './family.ts';
import type { Sources, StoreReading } from './sources.ts';

/** The metrics of faults that an operator has to know of, and of what prevents them. */
export function faultFamilies(sources: Sources, reading: StoreReading): Family[] {
  const { damagedRecords, clockJumps } = sources.faults;
  return [
    gauge(
      { name: 'gateway_store_refuses', help: '1 while the store responds, but refuses its work.' },
      'max',
      only(Number(reading.refuses)),
    ),
    gauge(
      { name: 'gateway_store_damaged_records', help: 'Damaged records that were found since the start.' },
      'max',
      only(damagedRecords),
    ),
    ...optional(reading.backupAt, {
      name: 'gateway_store_backup_timestamp_seconds',
      help: "When the last backup of the store's folder was complete; 0 when none is known.",
    }),
    counter(
      { name: 'gateway_clock_jumps', help: 'How often the clock of the machine jumped since the start.' },
      only(clockJumps),
    ),
    ...optional(reading.lockedAt, {
      name: 'gateway_dist_locked_timestamp_seconds',
      help: 'Since when a gamedata has been writing to dist/; 0 when none does.',
    }),
  ];
}

/** A gauge of a time in ms since 1970; nothing if there is none. */
function optional(at: number | undefined, naming: { name: string; help: string }): Family[] {
  return at === undefined ? [] : [gauge(naming, 'max', only(at / 1000))];
}

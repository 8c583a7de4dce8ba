import type { Json } from '../dist-format.ts';
import type { Place } from '../findings.ts';

/** A raw table: its value, and where each of its rows stands. */
export interface Table {
  name: string;
  value: Json;
  place: Place;
  /** Where the row with this key (property name, file stem or index) stands. */
  placeOfRow(key: string | number): Place;
}

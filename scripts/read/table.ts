import type { Place } from '../findings/findings.ts';
import type { Json } from '../format/dist-format.ts';

/** A raw table: its value, and where each of its rows stands. */
export interface Table {
  name: string;
  value: Json;
  place: Place;
  /** Where the row with this key (property name, file stem or index) stands. */
  placeOfRow(key: string | number): Place;
}

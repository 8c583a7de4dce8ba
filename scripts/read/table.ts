import type { Place } from '../findings/findings.ts';
import type { Json } from '../format/dist-format.ts';

/** A raw table: its value, and the place of each row. */
export interface Table {
  name: string;
  value: Json;
  place: Place;
  /** Returns the place of the row with this key (property name, file stem or index). */
  placeOfRow(key: string | number): Place;
}

import {
  eachAttribute,
  eachRecord,
  isObject,
  type Json,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { type Steps, NUMBERS_A_STEP, RECORDS_A_STEP } from '../http/work.ts';
import { type Column, ColumnBuilder, type Scalar } from './column.ts';

/** What is known of a list's records once each of them was read. */
export interface Attributes {
  count: number;
  columns: ReadonlyMap<string, Column>;
  attributes: ReadonlySet<string>;
  objectLists: ReadonlySet<string>;
}

/**
 * Reads the attributes of a list in steps.
 *
 * @param list a list file of dist/
 * @param fullList the list file of the full records, with the same rows
 * @throws Error when the bytes do not follow the format
 */
export function* readAttributes(list: Buffer, fullList: Buffer): Steps<Attributes> {
  const reader = new AttributeReader();
  let count = 0;
  for (const record of eachRecord(fullList)) {
    reader.add(count, record);
    if (++count % RECORDS_A_STEP === 0) yield;
  }
  if (list !== fullList && count !== (yield* countRecords(list)))
    throw new Error('roster and characters differ in length');
  return { count, ...reader.read(count) };
}

function* countRecords(file: Buffer): Steps<number> {
  let count = 0;
  for (const _ of eachRecord(file)) if (++count % NUMBERS_A_STEP === 0) yield;
  return count;
}

/** Collects the attributes of records. */
class AttributeReader {
  readonly #builders = new Map<string, ColumnBuilder>();
  readonly #attributes = new Set<string>();
  readonly #objectLists = new Set<string>();

  add(row: number, record: Buffer): void {
    eachAttribute(parseRecord(record), (key, value) => this.#add(row, key, value));
  }

  read(count: number): Omit<Attributes, 'count'> {
    const columns = new Map([...this.#builders].map(([key, builder]) => [key, builder.build(count)]));
    return { columns, attributes: this.#attributes, objectLists: this.#objectLists };
  }

  #add(row: number, key: string, raw: Json): void {
    this.#attributes.add(key);
    // Null is no value, also in a list.
    const value = Array.isArray(raw) && raw.includes(null) ? raw.filter((each) => each !== null) : raw;
    const isList = isScalarList(value);
    if (!isList && !isScalar(value)) {
      if (Array.isArray(value) && value.some(isObject)) this.#objectLists.add(key);
      return;
    }
    const builder = this.#builders.get(key) ?? new ColumnBuilder(key);
    this.#builders.set(key, builder);
    if (isList) builder.addList(row, value);
    else builder.add(row, value);
  }
}

function isScalarList(value: Json): value is Scalar[] {
  return Array.isArray(value) && value.length > 0 && value.every(isScalar);
}

function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

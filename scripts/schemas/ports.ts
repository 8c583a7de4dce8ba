import type { Outcome } from '../findings/findings.ts';
import type { Json } from '../format/dist-format.ts';
import { Port } from '../lib/port.ts';
import type { Mismatch } from './schema.ts';

/** A compiled schema: returns the mismatches of a record. */
export type DatasetSchema = (record: Json) => Mismatch[];

/**
 * Compiles a JSON Schema (draft 7) that is not trusted. @param file the path for findings
 * Without it, records are not compared with schemas; `findUnchecked` makes that an error for builds that are not recorded.
 */
export const COMPILE_SCHEMA = new Port<(schema: Json, file: string) => Outcome<DatasetSchema | undefined>>();

/** The JSON Schema of `source`. Without it, that can be any object: only the part that pulls builds uses it. */
export const SOURCE_SCHEMA = new Port<object>();

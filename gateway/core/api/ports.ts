import { Port, Ports } from '../../../scripts/core/lib/port.ts';
import type { Filters } from '../query/filters.ts';
import type { JsonSchema, RouteChange, RowForm } from './routes/route.ts';

/** The forms of rows besides JSON. */
export const ROW_FORMS = new Port<readonly RowForm[]>();

/** The routes of parts. */
export const ROUTE_CHANGES = new Ports<readonly RouteChange[]>();

/** The JSON Schemas of all responses, by the names that routes have for them. Their references lead to `#/components/schemas/`. */
export const RESPONSE_SCHEMAS = new Port<Readonly<Record<string, JsonSchema>>>();

/** Finds what a client may have meant by filters that no record passes. */
export const MEANT_VALUES = new Port<MeantValues>();

export interface MeantValues {
  /** Finds a value that no record has, but that differs from one only in case, accents or width; undefined if there is none. */
  findMeant(filters: Filters): MeantValue | undefined;
}

/** A value of a filter that a client may have meant. */
export interface MeantValue {
  parameter: string;
  value: string;
}

import { Port, Ports } from '../../../scripts/core/lib/port.ts';
import type { Filters } from '../query/filters.ts';
import type { JsonSchema, RouteChange, RowForm } from './routes/route.ts';

/** The forms of rows besides JSON. */
export const rowForms = new Port<readonly RowForm[]>();

/** The routes of parts. */
export const routeChanges = new Ports<readonly RouteChange[]>();

/** The JSON Schemas of all responses, by the names that routes have for them. Their references lead to `#/components/schemas/`. */
export const responseSchemas = new Port<Readonly<Record<string, JsonSchema>>>();

/** Finds what a client may have meant by filters that no record passes. */
export const meantValues = new Port<MeantValues>();

export interface MeantValues {
  /** Finds a value that no record has, but that differs from one only in case, accents or width; undefined if there is none. */
  findMeant(filters: Filters): MeantValue | undefined;
}

/** A value of a filter that a client may have meant. */
export interface MeantValue {
  parameter: string;
  value: string;
}

import type { Attribute } from '../../scripts/format/attributes.ts';
import { Port, Ports } from '../../scripts/lib/port.ts';
import type { Collection } from '../query/collection.ts';
import type { Filters } from '../query/filters.ts';
import type { RouteChange, RowForm } from './route.ts';

/** The forms of rows besides JSON. */
export const ROW_FORMS = new Port<readonly RowForm[]>();

/** The routes of parts. */
export const ROUTE_CHANGES = new Ports<readonly RouteChange[]>();

/** Finds what a client may have meant by values and ids that no record has. */
export const MEANT_VALUES = new Port<MeantValues>();

/** What the port `MEANT_VALUES` does. */
export interface MeantValues {
  /** Finds the value nearest to one that no record has; undefined if none is near. */
  findMeant(filters: Filters): { parameter: string; value: string } | undefined;
  /** Refuses values that no record has of attributes with a closed set of values. @throws ParameterError */
  refuseUnknown(filters: Filters, attributes: readonly Attribute[]): void;
  /** Suggests the id of the record that is called so, at the end of an error message; empty without one. */
  suggestNamed(name: string, list: Collection): string;
}

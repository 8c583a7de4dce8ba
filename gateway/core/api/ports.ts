import { Port, Ports } from '../../../scripts/core/lib/port.ts';
import type { RouteChange, RowForm } from './routes/route.ts';

/** The forms of rows besides JSON. */
export const rowForms = new Port<readonly RowForm[]>();

/** The routes of parts. */
export const routeChanges = new Ports<readonly RouteChange[]>();

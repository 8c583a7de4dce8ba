import { loadRoutes } from '../../gateway/api/routes.ts';
import '../runner/open-doors.ts';

/** The route table of a gateway with all parts. */
export const ROUTES = await loadRoutes();

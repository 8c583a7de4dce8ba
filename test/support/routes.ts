import { loadRoutes } from '../../gateway/core/api/routes/routes.ts';
import '../runner/open-doors.ts';

/** The route table of a gateway with all parts. */
export const ROUTES = await loadRoutes();

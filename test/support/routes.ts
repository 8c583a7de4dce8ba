export { ROUTES } from '../../gateway/api/routes.ts';

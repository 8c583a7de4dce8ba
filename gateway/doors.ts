import type { Doors } from '../scripts/lib/port.ts';
import type { Door } from './commands/door.ts';

/** Lists the doors of all parts of the gateway, in the order in which they change the route table. A part whose folder is deleted is left out. */
export const DOORS: Doors<Door> = {
  doctor: () => import('./doctor/door.ts'),
  workers: () => import('./workers/door.ts'),
  'key-terms': () => import('./key-terms/door.ts'),
  people: () => import('./people/door.ts'),
  site: () => import('./site/door.ts'),
  guard: () => import('./guard/door.ts'),
  limits: () => import('./limits/door.ts'),
  outages: () => import('./outages/door.ts'),
  replies: () => import('./replies/door.ts'),
  watch: () => import('./watch/door.ts'),
  'fast-wire': () => import('./fast-wire/door.ts'),
  backup: () => import('./backup/door.ts'),
  mcp: () => import('./mcp/door.ts'),
  metrics: () => import('./metrics/door.ts'),
  tables: () => import('./tables/door.ts'),
  links: () => import('./links/door.ts'),
  browse: () => import('./browse/door.ts'),
  bulk: () => import('./bulk/door.ts'),
  mirror: () => import('./mirror/door.ts'),
  openapi: () => import('./openapi/door.ts'),
  redis: () => import('./redis/door.ts'),
  search: () => import('./search/door.ts'),
  'nested-filters': () => import('./nested-filters/door.ts'),
  languages: () => import('./languages/door.ts'),
};

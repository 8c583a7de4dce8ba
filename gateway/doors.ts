import type { Doors } from '../scripts/core/lib/port.ts';
import type { Door } from './core/commands/door.ts';

/** Lists the doors of all parts of the gateway, in the order in which they change the route table. A part whose folder is deleted is left out. */
export const DOORS: Doors<Door> = {
  doctor: () => import('./parts/doctor/door.ts'),
  workers: () => import('./parts/workers/door.ts'),
  'key-terms': () => import('./parts/key-terms/door.ts'),
  people: () => import('./parts/people/door.ts'),
  site: () => import('./parts/site/door.ts'),
  guard: () => import('./parts/guard/door.ts'),
  limits: () => import('./parts/limits/door.ts'),
  outages: () => import('./parts/outages/door.ts'),
  replies: () => import('./parts/replies/door.ts'),
  watch: () => import('./parts/watch/door.ts'),
  'fast-wire': () => import('./parts/fast-wire/door.ts'),
  backup: () => import('./parts/backup/door.ts'),
  mcp: () => import('./parts/mcp/door.ts'),
  metrics: () => import('./parts/metrics/door.ts'),
  tables: () => import('./parts/tables/door.ts'),
  links: () => import('./parts/links/door.ts'),
  browse: () => import('./parts/browse/door.ts'),
  bulk: () => import('./parts/bulk/door.ts'),
  mirror: () => import('./parts/mirror/door.ts'),
  openapi: () => import('./parts/openapi/door.ts'),
  redis: () => import('./parts/redis/door.ts'),
  search: () => import('./parts/search/door.ts'),
  'nested-filters': () => import('./parts/nested-filters/door.ts'),
  languages: () => import('./parts/languages/door.ts'),
};

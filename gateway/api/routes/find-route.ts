import { LRUCache } from 'lru-cache';
import type { Route } from './route.ts';

/** The route of a path, and the parameters that the path has, decoded. */
export interface FoundRoute {
  route: Route;
  params: Readonly<Record<string, string>>;
}

/** Of how many paths is remembered where they lead: most requests are for a few. */
const MOST_PATHS = 1000;

/**
 * @param routes earlier ones win
 * @returns a function that finds the route of a path whose percent-encoding is well-formed; undefined where there is none
 */
export function createRouteFinder(routes: readonly Route[]): (path: string) => FoundRoute | undefined {
  const patterns = routes.map((route) => ({ route, pattern: toPattern(route.path) }));
  const known = new LRUCache<string, FoundRoute>({ max: MOST_PATHS });
  const match = (path: string): FoundRoute | undefined => {
    for (const { route, pattern } of patterns) {
      const matched = pattern.exec(path);
      if (matched === null) continue;
      const params = Object.entries(matched.groups ?? {}).map(
        ([name, value]) => [name, decodeURIComponent(value)] as const,
      );
      return { route, params: Object.fromEntries(params) };
    }
    return undefined;
  };
  return (path) => {
    const kept = known.get(path);
    if (kept) return kept;
    const found = match(path);
    if (found) known.set(path, found);
    return found;
  };
}

/** A path with `:name` for parameters, as a pattern; it minds case. */
export function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

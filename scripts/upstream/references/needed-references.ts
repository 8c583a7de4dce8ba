import type { FoundBuild, Reference } from '../../read/game.ts';

/** Some builds: those with a name, and so many of the newest. */
export interface SomeBuilds {
  names: readonly string[];
  newest: number;
}

/**
 * Finds the references that some builds of a game need: their own, and those of earlier builds that they inherit.
 *
 * @param builds oldest first
 * @param only undefined for all builds
 */
export function findNeeded(
  builds: readonly Pick<FoundBuild, 'build' | 'references' | 'removed'>[],
  only?: SomeBuilds,
): Reference[] {
  if (only === undefined) return builds.flatMap(({ references }) => references);
  const present = new Map<string, Reference>();
  const needed = new Set<Reference>();
  const first = builds.length - only.newest;
  for (const [index, { build, references, removed }] of builds.entries()) {
    for (const file of removed) present.delete(file);
    for (const reference of references) present.set(reference.file, reference);
    if (index < first && !only.names.includes(build)) continue;
    for (const reference of present.values()) needed.add(reference);
  }
  return [...needed];
}

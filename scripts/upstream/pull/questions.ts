import type { Finding } from '../../findings/findings.ts';
import type { HeldBuild, HeldBuilds } from './held.ts';

/** What a finding asks: a check and what it is about. What stays strange in the next build asks the same. */
export function questionOf({ check, of = '' }: Pick<Finding, 'check' | 'of'>): string {
  return `${check} ${of}`.trimEnd();
}

/**
 * The build held before this one whose questions include all of these; a person who accepts it has responded to them. A build in between that passed has
 * not what was strange, so that upstream did not keep it: then it is asked again.
 */
export function findSameQuestion(
  held: Pick<HeldBuilds, 'builds'>,
  build: string,
  { before, questions }: { before: string | undefined; questions: readonly string[] },
): string | undefined {
  const names = held.builds.map(([name]) => name);
  const earlier = names.includes(build) ? held.builds.slice(0, names.indexOf(build)) : held.builds;
  return earlier.find(([, other]) => other.before === before && asks(other, questions))?.[0];
}

/** Whether the build that a held build refers to still asks the same. If not, the held build has to be reported itself. */
export function isAskedBefore({ same_as, questions = [] }: HeldBuild, held: HeldBuilds): boolean {
  if (same_as === undefined) return true;
  const other = held.find(same_as);
  return other !== undefined && asks(other, questions);
}

/** Whether a held build waits for a decision about all of these questions. */
function asks({ skip, same_as, questions: known = [] }: HeldBuild, questions: readonly string[]): boolean {
  return !skip && same_as === undefined && questions.every((each) => known.includes(each));
}

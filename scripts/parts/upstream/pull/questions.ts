import type { Finding } from '../../../core/findings/findings.ts';
import type { HeldBuilds } from './held.ts';

/** What a finding asks: a check and what it is about. What stays strange in the next build asks the same. */
export function questionOf({ check, fix = '' }: Finding): string {
  const [, of = ''] = /"of":"([^"]*)"/.exec(fix) ?? [];
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
  const same = earlier.find(
    ([, { questions: known = [], skip, same_as, ...other }]) =>
      !skip &&
      same_as === undefined &&
      other.before === before &&
      questions.every((each) => known.includes(each)),
  );
  return same?.[0];
}

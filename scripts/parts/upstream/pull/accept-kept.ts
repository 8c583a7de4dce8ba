import type { CheckName } from '../../../core/findings/check-names.ts';
import { countOf } from '../../../core/lib/count-of.ts';
import type { UpstreamBuild } from './group-builds.ts';
import type { HeldBuild, HeldBuilds } from './held.ts';

/** When a change that upstream keeps is accepted without a person: after so many later builds, and so many days. */
export interface AcceptAfter {
  builds: number;
  days: number;
}

export const ACCEPT_AFTER: AcceptAfter = { builds: 2, days: 7 };

/**
 * Checks that find a change of values, which may be real. What is damaged is mended by upstream in its next builds; what it keeps is how the game is now. All
 * other checks find what cannot be right, or losses that nobody should be served unseen: they wait for a person.
 */
const OF_CHANGES: ReadonlySet<string> = new Set<CheckName>([
  'categories-changed',
  'field-emptied',
  'names-changed',
  'names-lost',
  'new-records-incomplete',
  'new-values',
  'number-range',
  'rarity-range',
  'records-lost',
  'values-jumped',
  'values-lost',
  'values-merged',
  'values-moved',
  'values-rewritten',
  'values-rounded',
  'values-scaled',
]);
const DAY_MS = 86_400_000;

/** A held build that was accepted, and the later ones that have its change. */
export interface AcceptedBuild {
  build: string;
  commit: string;
  questions: readonly string[];
  by: readonly string[];
  /** How many days after it the last of them was made. */
  days: number;
}

/**
 * Accepts the held builds whose change upstream has kept: enough later builds are held back for the same and for nothing else. It writes the
 * overrides that a person would write.
 *
 * @param builds those of upstream
 */
export async function acceptKept(
  held: HeldBuilds,
  builds: readonly UpstreamBuild[],
  after: AcceptAfter,
): Promise<AcceptedBuild[]> {
  const dates = new Map(builds.map(({ build, released_at }) => [build, Date.parse(released_at)]));
  const accepted: AcceptedBuild[] = [];
  for (const [build, { questions = [], commit = '', ...known }] of held.builds) {
    const at = dates.get(build);
    if (at === undefined || !isOfChanges(questions, known)) continue;
    const by = held.builds.flatMap(([name, { same_as, skip }]) => {
      const date = dates.get(name) ?? at;
      return same_as === build && !skip && date > at ? [{ name, date }] : [];
    });
    const days = Math.floor((Math.max(at, ...by.map(({ date }) => date)) - at) / DAY_MS);
    if (by.length < after.builds || days < after.days) continue;
    const found = { build, commit, questions, by: by.map(({ name }) => name), days };
    await held.revise(build, (now) => (now && isOpen(now) ? { ...now, overrides: overridesOf(found) } : now));
    accepted.push(found);
  }
  return accepted;
}

function isOfChanges(questions: readonly string[], known: HeldBuild): boolean {
  const isChange = (question: string) => OF_CHANGES.has(question.split(' ')[0] ?? '');
  return isOpen(known) && known.same_as === undefined && questions.length > 0 && questions.every(isChange);
}

/** Whether no person has decided about a build. */
function isOpen({ skip, overrides }: HeldBuild): boolean {
  return !skip && overrides === undefined;
}

/** Says in words why a build was accepted. */
export function describeKept({ by, days }: Pick<AcceptedBuild, 'by' | 'days'>): string {
  return `upstream keeps it in ${by.join(', ')}, ${countOf(days, 'day')} later`;
}

function overridesOf({ questions, ...kept }: AcceptedBuild): NonNullable<HeldBuild['overrides']> {
  const reason = `Accepted without a person: ${describeKept(kept)}.`;
  return questions.map((question) => {
    const [check = '', of] = question.split(' ');
    return { check, ...(of !== undefined && { of }), reason };
  });
}

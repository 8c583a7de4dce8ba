import { questionOf } from '../../scripts/upstream/pull/state.ts';
import type { Found, Trial } from './recall.ts';
import type { PulledBuild } from './served.ts';

const SHARES = 'noticed after a build | held | noticed in a first build | held';

/** A number of others and its share: `19 of 20 (95.0 %)`. */
function shareOf(count: number, all: number): string {
  return `${count} of ${all} (${all === 0 ? '–' : ((100 * count) / all).toFixed(1)} %)`;
}

/** How many mutations of each game, kind, or of what they are applied to, were found, as a table in Markdown. */
export function formatRecall(trials: readonly Trial[], by: 'game' | 'mutation' | 'of'): string {
  const shares = (some: readonly (Found | undefined)[]) => {
    const found = some.filter((each) => each !== undefined);
    return (['checks', 'holds'] as const).map((what) =>
      shareOf(found.filter((each) => each[what].length > 0).length, found.length),
    );
  };
  const line = (name: string, some: readonly Trial[]) =>
    `| ${[name, ...shares(some.map(({ step }) => step)), ...shares(some.map(({ first }) => first))].join(' | ')} |\n`;
  const named = (name: string) => trials.filter((trial) => trial[by] === name);
  const rows = [...new Set(trials.map((trial) => trial[by]))].map((name) => line(name, named(name)));
  return [`| ${by} | ${SHARES} |\n| --- |${' --- |'.repeat(4)}\n`, ...rows, line('all', trials)].join('');
}

/** What is lost without each of some checks: mutations that no other check holds, or notices. What others would find instead is not known. */
export function formatWorth(trials: readonly Trial[], checks: readonly string[]): string {
  const count = (part: 'step' | 'first', what: keyof Found, check: string, isAlone: boolean) =>
    trials.filter(
      ({ [part]: found }) => found?.[what].includes(check) && (!isAlone || found[what].length === 1),
    ).length;
  const rows = checks.map((check) => {
    const cells = [
      ...[count('step', 'holds', check, false), count('step', 'holds', check, true)],
      ...[count('step', 'checks', check, true), count('first', 'checks', check, true)],
    ];
    return `| ${[`\`${check}\``, ...cells].join(' | ')} |\n`;
  });
  const head = '| check | holds | lost without it | noticed by no other | in a first build |';
  return [`${head}\n| --- | --- | --- | --- | --- |\n`, ...rows].join('');
}

/** The mutations that were not held after a build, or not noticed in a first one, one per line. */
export function formatMissed(trials: readonly Trial[]): string {
  return trials
    .flatMap(({ game, mutation, target, step, first }) => [
      ...(step?.holds.length === 0
        ? [`not held: ${game}, ${target}: ${mutation} (${step.checks.join(', ') || 'no finding'})\n`]
        : []),
      ...(first?.checks.length === 0 ? [`missed in a first build: ${game}, ${target}: ${mutation}\n`] : []),
    ])
    .join('');
}

/** Which real builds a pull serves with no person, when, and what it asks about the others. */
export function formatServed(builds: readonly PulledBuild[]): string {
  const count = (...outcomes: PulledBuild['outcome'][]) =>
    builds.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const rows = builds.flatMap(({ build, outcome, days, findings }) =>
    outcome === 'served'
      ? []
      : [`| ${[build, outcome, days ?? 'never', findings.map(questionOf).join(', ')].join(' | ')} |\n`],
  );
  const servedAt = builds.flatMap(({ days }) => days ?? []);
  return [
    '| build | outcome | days | first questions |\n| --- | --- | --- | --- |\n',
    ...rows,
    `\nServed with no person: ${shareOf(servedAt.length, builds.length)}, at once ${shareOf(count('served', 'carried'), builds.length)}; `,
    `with a question of their own: ${count('asked', 'accepted')}, of which upstream's next builds answer ${count('accepted')}.\n`,
  ].join('');
}

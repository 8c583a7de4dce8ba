import { questionOf } from '../../scripts/upstream/pull/questions.ts';
import { MUTATIONS } from './mutations.ts';
import type { Step } from './precision.ts';
import type { Found, Trial } from './recall.ts';
import type { PulledBuild } from './served.ts';

const SHARES = 'after a build | as errors | held back | in a first build | as errors';

/** What each game's mutations came to: how many were found after the build before and in a first build, as a table in Markdown. */
export function formatRecall(trials: readonly Trial[], seconds: ReadonlyMap<string, number>): string {
  const line = (name: string, some: readonly Trial[], time: number) => {
    const kinds = new Set(some.map(({ mutation }) => mutation)).size;
    const cells = [name, kinds, ...describeShares(some), `${time.toFixed(0)} s`];
    return `| ${cells.join(' | ')} |\n`;
  };
  const games = [...new Set(trials.map(({ game }) => game))];
  const total = [...seconds.values()].reduce((sum, time) => sum + time, 0);
  return [
    `| game | kinds | ${SHARES} | time |\n| --- | --- |${' --- |'.repeat(6)}\n`,
    ...games.map((game) =>
      line(
        game,
        trials.filter((trial) => trial.game === game),
        seconds.get(game) ?? 0,
      ),
    ),
    line('all', trials, total),
    line(
      'kinds set aside',
      trials.filter(({ mutation }) => ASIDE.has(mutation)),
      0,
    ),
  ].join('');
}

/** The kinds that were chosen before the checks that find them were written. */
const ASIDE = new Set(MUTATIONS.filter(({ aside }) => aside).map(({ name }) => name));

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

/** How many were noticed, were errors and were held back after a build, and were noticed and errors in a first build. */
function describeShares(trials: readonly Trial[]): string[] {
  const [step, first] = [
    trials.flatMap((trial) => trial.step ?? []),
    trials.flatMap((trial) => trial.first ?? []),
  ];
  const share = (some: readonly Found[], is: 'found' | 'error' | 'held') =>
    shareOf(some.filter((each) => each[is]).length, some.length);
  return [
    ...[share(step, 'found'), share(step, 'error'), share(step, 'held')],
    ...[share(first, 'found'), share(first, 'error')],
  ];
}

/** How many mutations of each kind, or of what they are applied to, were found, as a table in Markdown. */
export function formatKinds(trials: readonly Trial[], by: 'mutation' | 'of'): string {
  const rows = [...new Set(trials.map((trial) => trial[by]))].map((kind) => {
    const some = trials.filter((trial) => trial[by] === kind);
    return `| ${[kind, ...describeShares(some)].join(' | ')} |\n`;
  });
  return [`| mutation | ${SHARES} |\n| --- |${' --- |'.repeat(5)}\n`, ...rows].join('');
}

/** The mutations that were not found, one per line. */
export function formatMissed(trials: readonly Trial[]): string {
  return trials
    .flatMap(({ game, mutation, target, step, first }) => [
      ...(step?.found === false ? [`missed: ${game}, ${target}: ${mutation}\n`] : []),
      ...(first?.found === false ? [`missed in a first build: ${game}, ${target}: ${mutation}\n`] : []),
    ])
    .join('');
}

/** A number of others and its share: `19 of 20 (95.0 %)`. */
export function shareOf(count: number, all: number): string {
  return `${count} of ${all} (${all === 0 ? '–' : ((100 * count) / all).toFixed(1)} %)`;
}

/** Every finding in real builds with its judgement, and how many steps have one that is needless. */
export function formatSteps(steps: readonly Step[]): string {
  const rows = steps.flatMap(({ game, build, findings }) =>
    findings.map(({ finding: { severity, check }, of, judgement }) => {
      const verdict = judgement ? `${judgement.verdict}: ${judgement.reason}` : 'NOT JUDGED';
      return `| ${[game, build, severity, check, of, verdict].join(' | ')} |\n`;
    }),
  );
  const later = steps.filter(({ isFirst }) => !isFirst);
  const withNeedless = (severities: readonly string[]) =>
    later.filter(({ findings }) =>
      findings.some(
        ({ finding, judgement }) => severities.includes(finding.severity) && judgement?.verdict !== 'wanted',
      ),
    ).length;
  return [
    '| game | build | severity | check | of | judgement |\n| --- | --- | --- | --- | --- | --- |\n',
    ...rows,
    `\nNeedless errors, which need an acknowledgement, are in ${shareOf(withNeedless(['error']), later.length)} real steps; `,
    `needless findings of any kind in ${shareOf(withNeedless(['error', 'warning']), later.length)}.\n`,
  ].join('');
}

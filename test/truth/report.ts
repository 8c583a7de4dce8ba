import type { Step } from './precision.ts';
import type { Trial } from './recall.ts';

/** A table in Markdown: a row for each kind of mutation, a column for each game. */
export function formatTrials(kinds: readonly string[], trials: readonly Trial[]): string {
  const games = [...new Set(trials.map(({ game }) => game))];
  const cell = (kind: string, game: string) => {
    const trial = trials.find((other) => other.mutation === kind && other.game === game);
    if (trial === undefined) return '·';
    const words = trial.found === undefined ? [] : [trial.found ? 'found' : 'MISSED'];
    if (trial.first) words.push(trial.first.found ? 'found' : 'MISSED');
    return words.join(', ');
  };
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const rows = kinds.map((kind) => [kind, ...games.map((game) => cell(kind, game))]);
  const head = ['kind of mutation', ...games];
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}

/** How many mutations were found, in words. */
export function formatRecall(trials: readonly Trial[]): string {
  const step = trials.filter((trial) => trial.found !== undefined);
  const found = step.filter((trial) => trial.found).length;
  const first = trials.flatMap((trial) => (trial.first ? [trial.first.found] : []));
  const ofFirst = first.filter(Boolean).length;
  return [
    `After a build: ${shareOf(found, step.length)} of the mutations are found.`,
    `In a first build, of those that it can show: ${shareOf(ofFirst, first.length)}.\n`,
  ].join(' ');
}

/** The mutations that were not found, one per line. */
export function formatMissed(trials: readonly Trial[]): string {
  return trials
    .flatMap(({ game, mutation, target, found, first }) => [
      ...(found !== false ? [] : [`missed: ${game}, ${target}: ${mutation}\n`]),
      ...(first && !first.found ? [`missed in a first build: ${game}, ${target}: ${mutation}\n`] : []),
    ])
    .join('');
}

/** A number of others and its share: `19 of 20 (95.0 %)`. */
export function shareOf(count: number, all: number): string {
  return `${count} of ${all} (${all === 0 ? '–' : ((100 * count) / all).toFixed(1)} %)`;
}

/** Every finding in real steps with its judgement, and how many steps need an acknowledgement that is needless. */
export function formatSteps(steps: readonly Step[]): string {
  const rows = steps.flatMap(({ game, build, findings }) =>
    findings.map(({ finding: { severity, check }, of, judgement }) => {
      const verdict = judgement ? `${judgement.verdict}: ${judgement.reason}` : 'NOT JUDGED';
      return `| ${[game, build, severity, check, of, verdict].join(' | ')} |\n`;
    }),
  );
  const needless = steps.filter(({ findings }) =>
    findings.some(
      ({ finding, judgement }) => finding.severity === 'error' && judgement?.verdict !== 'wanted',
    ),
  ).length;
  return [
    '| game | build | severity | check | of | judgement |\n| --- | --- | --- | --- | --- | --- |\n',
    ...rows,
    `\nA needless acknowledgement is needed by ${shareOf(needless, steps.length)} real steps.\n`,
  ].join('');
}

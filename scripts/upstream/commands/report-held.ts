import path from 'node:path';
import type { Finding } from '../../findings/findings.ts';
import { countFindings } from '../../report/report.ts';
import { countOf } from '../../lib/count-of.ts';
import { makePrivateFolder } from '../../lib/private-files.ts';
import { createProgress } from '../../lib/progress.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import type { Notify } from '../notify/notifier.ts';
import { type AcceptedBuild, describeKept } from '../pull/accept-kept.ts';
import type { HeldBuilds } from '../pull/held.ts';
import type { UpstreamOptions } from '../../read/reference.ts';
import { renderReviews } from '../review/markdown.ts';
import { DEFAULT_LIMITS } from '../../watchdog/limits.ts';
import type { StartWorkers } from '../../workers/workers.ts';
import { reviewGame } from '../review/review.ts';

/** Where builds that are held back are reviewed and reported. */
export interface ReportOptions {
  data: string;
  out: string;
  /** The folder for reviews. */
  reviews: string;
  notify: Notify;
  upstream: UpstreamOptions;
  /** Starts the workers that compile reviews. */
  start?: StartWorkers | undefined;
}

/** Says for the log that a build is held back. */
export function describeHeld(
  slug: string,
  build: string,
  findings: readonly Finding[],
  options: ReportOptions,
): string {
  const { errors, warnings } = countFindings(findings);
  const counts = [
    ...(errors > 0 ? [countOf(errors, 'error')] : []),
    ...(warnings > 0 ? [countOf(warnings, 'warning')] : []),
  ];
  return `${slug}: build ${build} is held back: ${counts.join(' and ')}; review: ${reviewFile(slug, build, options)}\n`;
}

function reviewFile(slug: string, build: string, { reviews }: ReportOptions): string {
  return path.join(reviews, `${slug}-${build}.md`);
}

/** Writes the review of a game whose newest build is to be held back. */
export async function writeReview(slug: string, build: string, options: ReportOptions): Promise<void> {
  const { data, out, reviews, start, upstream } = options;
  const { seconds: timeLimit, mebibytes: memoryLimit } = DEFAULT_LIMITS;
  const progress = createProgress(process.stderr);
  const { cache, allowLocal } = upstream;
  const limits = { jobs: 1, timeLimit, memoryLimit };
  const reviewed = { data, out, upstream: cache, allowLocal, ...limits };
  const review = await reviewGame(slug, reviewed, { progress, start });
  progress.clear();
  await makePrivateFolder(reviews);
  const file = reviewFile(slug, build, options);
  await replaceFile(file, Buffer.from(renderReviews([review])));
}

/** Reports a build that is served with datasets of the build before. Such a report is not repeated. */
export async function reportCarried(
  {
    slug,
    build,
    before,
    commit,
    names,
  }: { slug: string; build: string; before: string | undefined; commit: string; names: readonly string[] },
  errors: readonly string[],
  options: ReportOptions,
): Promise<void> {
  const review = reviewFile(slug, build, options);
  process.stderr.write(
    `${slug}: build ${build} keeps ${names.join(', ')} of build ${before}; review: ${review}\n`,
  );
  const notice = { type: 'build.held', game: slug, build, before, version: commit, errors, review } as const;
  const failures = await options.notify({ ...notice, carried: names }, new Date().toISOString());
  for (const failure of failures)
    process.stderr.write(`${slug}: ${names.join(', ')} of build ${build} is not reported: ${failure}\n`);
}

/** Reports a build that is accepted, as upstream keeps what was strange. Such a report is not repeated. */
export async function reportAccepted(
  slug: string,
  { build, commit: version, by, questions, days }: AcceptedBuild,
  { notify }: Pick<ReportOptions, 'notify'>,
): Promise<void> {
  process.stderr.write(
    `${slug}: build ${build} is accepted, as ${describeKept({ by, days })}: ${questions.join(', ')}\n`,
  );
  const notice = { type: 'build.accepted', game: slug, build, version, by, questions } as const;
  for (const failure of await notify(notice, new Date().toISOString()))
    process.stderr.write(`${slug}: that build ${build} is accepted is not reported: ${failure}\n`);
}

/** Reports the builds that are held back and were not reported yet. Returns how many reports failed. */
export async function reportHeld(slug: string, held: HeldBuilds, options: ReportOptions): Promise<number> {
  let failed = 0;
  for (const [build, entry] of held.builds) {
    const { errors, commit = '', at = '', before, reported, skip } = entry;
    if (errors === undefined || reported || skip) continue;
    const review = reviewFile(slug, build, options);
    const type = 'build.held';
    const notice = { type, game: slug, build, before, version: commit, errors, review } as const;
    const failures = await options.notify(notice, at);
    for (const failure of failures)
      process.stderr.write(`${slug}: build ${build} is not reported: ${failure}\n`);
    if (failures.length > 0) failed++;
    else await held.revise(build, (now) => now && { ...now, reported: true });
  }
  return failed;
}

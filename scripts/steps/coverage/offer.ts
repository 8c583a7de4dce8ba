import type { Coverage } from '../../check/coverage.ts';
import { coverBuild, coverList } from './coverage.ts';
import { renderCollection, renderCoverage } from './render-coverage.ts';

/** What the part offers about what builds have. */
export const coverage: Coverage = {
  coverBuild,
  coverList,
  renderBuilds: renderCoverage,
  renderCollection,
};

import { exampleRecords } from '../rule.ts';
import { reportExplained } from '../report-explained.ts';
import type { StepCheck } from '../step.ts';

const before = {
  '1.0/characters.json': exampleRecords(10, (index) => ({ stats: { atk: 100 + index ** 2 } })),
};
/** Each of the first records has the value of the next one. */
const moved = (count: number) => ({
  '1.1/characters.json': exampleRecords(10, (index) => ({
    stats: { atk: 100 + (index < count ? (index + 1) % count : index) ** 2 },
  })),
});

export const valuesMovedCheck: StepCheck<'max_moved_share'> = {
  name: 'values-moved',
  description: 'Values do not move from records to other records.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_moved_share: {
      default: 0.2,
      min: 0,
      max: 1,
      help: 'the share of values that may move, if several records have equal values',
    },
  },
  passes: { ...before, ...moved(2) },
  fails: { ...before, ...moved(10) },
  check: (step) => reportExplained(step, ['moved'], () => 'are those of other records'),
};

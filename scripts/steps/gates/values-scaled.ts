import { exampleRecords } from '../rule.ts';
import { reportExplained } from '../report-explained.ts';
import type { StepCheck } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(10, (index) => ({ stats: { atk: 100 + index } })) };
const scaled = (count: number) => ({
  '1.1/characters.json': exampleRecords(10, (index) => ({
    stats: { atk: (100 + index) * (index < count ? 10 : 1) },
  })),
});

export const valuesScaledCheck: StepCheck<'max_changed_share'> = {
  name: 'values-scaled',
  description: 'A number does not change by one factor or one difference in most records of a list.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_changed_share: {
      default: 0.5,
      min: 0,
      max: 1,
      help: 'the share of values that may change by one factor or one difference',
    },
  },
  passes: { ...before, ...scaled(1) },
  fails: { ...before, ...scaled(10) },
  check: (step) =>
    reportExplained(step, ['scaled', 'shifted', 'postponed'], ({ kind, by }) => {
      if (kind === 'postponed') return `are ${by}`;
      return kind === 'scaled'
        ? `are multiplied by ${by}`
        : `are ${Math.abs(by)} ${by > 0 ? 'larger' : 'smaller'}`;
    }),
};

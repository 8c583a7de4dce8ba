import { quoteValue } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import { reportExplained } from '../report-explained.ts';
import type { StepCheck } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(60, (index) => ({ title: `Title ${index}` })) };
const merged = (count: number) => ({
  '1.1/characters.json': exampleRecords(60, (index) => ({
    title: index < count ? 'Soon' : `Title ${index}`,
  })),
});

export const valuesMergedCheck: StepCheck<'max_merged_share'> = {
  name: 'values-merged',
  description: 'Different values of an attribute do not become one value in many records.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_merged_share: {
      default: 0.05,
      min: 0,
      max: 1,
      help: 'the share of values that may become one value, if they were different',
    },
  },
  passes: { ...before, ...merged(3) },
  fails: { ...before, ...merged(6) },
  check: (step) => reportExplained(step, ['merged'], ({ value }) => `are now all ${quoteValue(value)}`),
};

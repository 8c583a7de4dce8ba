import { quoteValue } from '../../findings/findings.ts';
import { exampleRecords } from '../rule.ts';
import { reportExplained } from '../report-explained.ts';
import type { StepCheck } from '../step.ts';

const before = { '1.0/characters.json': exampleRecords(10, (index) => ({ title: `Title ${index}` })) };
const rewritten = (count: number) => ({
  '1.1/characters.json': exampleRecords(10, (index) => ({
    title: index < count ? `Other ${index}` : `Title ${index}`,
  })),
});

export const valuesRewrittenCheck: StepCheck<'max_changed_share'> = {
  name: 'values-rewritten',
  description: 'An attribute does not change in most records of a list.',
  scope: 'step',
  severity: 'error',
  thresholds: {
    max_changed_share: { default: 0.5, min: 0, max: 1, help: 'the share of values that may change' },
  },
  passes: { ...before, ...rewritten(5) },
  fails: { ...before, ...rewritten(6) },
  check: (step) =>
    reportExplained(step, ['rewritten', 'restyled'], (explanation) => {
      if (explanation.kind === 'restyled') return 'have other capitals or spaces';
      const { value } = explanation;
      return value === undefined ? 'have changed' : `are now all ${quoteValue(value)}`;
    }),
};

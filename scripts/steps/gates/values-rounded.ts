import { exampleRecords } from '../rule.ts';
import { reportExplained } from '../report-explained.ts';
import type { StepCheck } from '../step.ts';

const rates = (count: number) =>
  exampleRecords(10, (index) => ({ rate: index < count ? 2 : 1.6 + index / 100 }));

export const valuesRoundedCheck: StepCheck = {
  name: 'values-rounded',
  description: 'Numbers keep their decimals.',
  scope: 'step',
  severity: 'error',
  thresholds: {},
  passes: { '1.0/characters.json': rates(0), '1.1/characters.json': rates(4) },
  fails: { '1.0/characters.json': rates(0), '1.1/characters.json': rates(10) },
  check: (step) => reportExplained(step, ['rounded'], () => 'have lost their decimals'),
};

export * from '../check/report.ts';

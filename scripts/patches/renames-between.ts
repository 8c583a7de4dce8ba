export * from '../diff/compare.ts';

export * from '../diff/changes.ts';

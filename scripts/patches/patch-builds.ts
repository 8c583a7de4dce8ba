export * from '../diff/diff-builds.ts';

export * from './diff-builds.ts';

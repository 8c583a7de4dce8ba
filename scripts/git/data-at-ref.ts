export * from '../check/git.ts';

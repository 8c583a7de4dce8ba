export * from '../compile/memo.ts';

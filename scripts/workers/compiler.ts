export * from '../compile/compiler.ts';

export * from './compile-build.ts';

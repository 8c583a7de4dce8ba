export * from '../yaml.ts';

export * from '../email.ts';

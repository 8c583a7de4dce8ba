export * from '../findings.ts';

import path from 'node:path';
import type { Finding } from '../../scripts/findings/findings.ts';

/** What makes a finding another one than before. */
export function identityOf({ check, found }: Finding): string {
  return `${check} ${found}`;
}

/** The names of an attribute in findings: its last one, and those of itself and the objects that it is in. */
export function namesOf(key: string): string[] {
  const steps = key.split('.');
  return [steps.at(-1) ?? key, ...steps.map((_, at) => steps.slice(0, at + 1).join('.'))];
}

/** Whether a finding has a name as a whole word. */
export function mentions({ found, expected, fix = '', place }: Finding, name: string): boolean {
  const text = [found, expected, fix, path.basename(place.file), place.pointer].join(' ');
  if (name === '' || !text.includes(name)) return false;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'u').test(text);
}

import { readFileSync } from 'node:fs';
import { once } from '../http/work.ts';

/** A guide of docs/, rendered when the code was compiled. */
export interface Guide {
  /** `/docs/consumers/queries`. */
  path: string;
  /** `consumers`. */
  section: string;
  title: string;
  /** What it explains, in a few words. */
  summary: string;
  /** Its text with its heading, as HTML. */
  html: string;
  /** Its parts. */
  headings: readonly { id: string; text: string }[];
}

/** The address that samples have where the documents are read as files. */
const SAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** Writes samples with the address of this gateway. */
export function localizeSamples(text: string, publicUrl: string): string {
  return text.replaceAll(SAMPLE_ADDRESS, publicUrl);
}

/** Returns all guides, in the order of their overview. */
export const readGuides = once(
  () => JSON.parse(readFileSync(new URL('./guides.json', import.meta.url), 'utf8')) as readonly Guide[],
);

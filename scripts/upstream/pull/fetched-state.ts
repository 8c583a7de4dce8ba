import { readFile } from 'node:fs/promises';
import { replaceFile } from '../../system.ts';
import { parseJson } from '../../read/json.ts';
import { compileSchema } from '../../read/schema.ts';
import { describeMismatch } from './state.ts';
import type { KnownFile } from './fetch-file.ts';

const text = { type: 'string' };
const validState = compileSchema<Record<string, KnownFile>>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['sha256', 'fetched_at'],
    additionalProperties: false,
    properties: {
      etag: text,
      modified: text,
      sha256: text,
      fetched_at: { type: 'string', format: 'instant' },
    },
  },
});

/** What is known of the files that were fetched to a folder of the cache, by their addresses. */
export class FetchedState {
  readonly #file: string;
  readonly #known: Map<string, KnownFile>;
  /** What is wrong with the file that it was read from; undefined for nothing. */
  readonly problem: string | undefined;

  private constructor(file: string, files: Map<string, KnownFile>, problem: string | undefined) {
    this.#file = file;
    this.#known = files;
    this.problem = problem;
  }

  /** Reads the file. If it is damaged, nothing is known, so that all is fetched again. */
  static async read(file: string): Promise<FetchedState> {
    const parsed = parseJson(await readFile(file, 'utf8').catch(() => '{}'), file);
    if ('value' in parsed && validState(parsed.value))
      return new FetchedState(file, new Map(Object.entries(parsed.value)), undefined);
    const why = 'value' in parsed ? describeMismatch(validState, parsed.value) : 'it is not JSON';
    const problem = `${file} is damaged (${why}): all files are fetched again, and it is replaced`;
    return new FetchedState(file, new Map(), problem);
  }

  find(address: string): KnownFile | undefined {
    return this.#known.get(address);
  }

  /** Notes that a file was fetched. */
  async note(address: string, file: KnownFile): Promise<void> {
    this.#known.set(address, file);
    await replaceFile(this.#file, Buffer.from(JSON.stringify(Object.fromEntries(this.#known))));
  }
}

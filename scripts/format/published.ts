/** The file that `gamedata publish` writes last: the index and its serial, which one read gets together. dist/ has no such file. */
export const PUBLISHED_FILE = 'published.json';

/** The content of published.json. */
export interface Published {
  /** The format number of the index. */
  format: number;
  /** Grows with each publication of another index: a reader that knows a higher one has got an old file. */
  serial: number;
  /** The text of index.json. */
  index: string;
  /** The Ed25519 signature of `signedText`, in base64url. */
  signature?: string;
}

/** JSON Schema of published.json. */
export const publishedSchema = {
  type: 'object',
  required: ['format', 'serial', 'index'],
  properties: {
    format: { type: 'integer', minimum: 1 },
    serial: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    index: { type: 'string' },
    signature: { type: 'string', pattern: '^[A-Za-z0-9_-]{86}$' },
  },
} as const;

/** What a signature is for: format, serial and the text of the index, each after a line break but the first. */
export function signedText({ format, serial, index }: Published): string {
  return `${format}\n${serial}\n${index}`;
}

/** The file that `gamedata publish` writes last: the index and its serial, which one read gets together. dist/ has no such file. */
export const PUBLISHED_FILE = 'published.json';

/** The content of published.json. */
export interface Published {
  /** The format number of the index. */
  format: number;
  /** Grows with each publication of another index: a reader that knows a higher serial has received an old file. */
  serial: number;
  /** The text of index.json. */
  index: string;
  /** The Ed25519 signature of `signedText`, in base64url. */
  signature?: string;
}

/** @returns the content of published.json; undefined if it is not what `gamedata publish` writes */
export function parsePublished(bytes: Buffer): Published | undefined {
  try {
    const value = JSON.parse(bytes.toString()) as Partial<Published> | null;
    const { format, serial, index, signature } = value ?? {};
    const isRight =
      Number.isSafeInteger(format) &&
      Number.isSafeInteger(serial) &&
      Number(serial) > 0 &&
      typeof index === 'string' &&
      (signature === undefined || typeof signature === 'string');
    return isRight ? (value as Published) : undefined;
  } catch {
    return undefined;
  }
}

/** The text that is signed: format, serial and the text of the index, separated by line breaks. */
export function signedText({ format, serial, index }: Published): string {
  return `${format}\n${serial}\n${index}`;
}

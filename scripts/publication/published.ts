/** The file that `gamedata publish` writes last: the index and its serial, which one read gets together. dist/ has no such file. */
export const PUBLISHED_FILE = 'published.json';

/** The content of published.json. */
export interface Published {
  /** The format number of the index. */
  format: number;
  /** Grows with each publication of another index: a reader that knows a higher serial has received an old file. */
  serial: number;
  /** A higher serial that was wrong: a reader that follows it, or a later one, follows this state instead. */
  supersedes?: number;
  /** The text of index.json. */
  index: string;
  /** The Ed25519 signature of `signedText`, in base64url. */
  signature?: string;
}

/** @returns the content of published.json; undefined if it is not what `gamedata publish` writes */
export function parsePublished(bytes: Buffer): Published | undefined {
  try {
    const value: Partial<Published> | null = JSON.parse(bytes.toString());
    const { format, serial, supersedes, index, signature } = value ?? {};
    const isRight =
      Number.isSafeInteger(format) &&
      Number.isSafeInteger(serial) &&
      Number(serial) > 0 &&
      (supersedes === undefined || Number.isSafeInteger(supersedes)) &&
      typeof index === 'string' &&
      (signature === undefined || typeof signature === 'string');
    return isRight ? (value as Published) : undefined;
  } catch {
    return undefined;
  }
}

/** By how much a serial may grow at once. A larger step is a mistake, or made to leave no room for later ones. */
export const MAX_SERIAL_STEP = 1_000_000;

/**
 * Compares a state with the serial that a reader follows.
 *
 * @returns `older` for an old copy, `jump` when its serial grew by too much; undefined when the reader follows the state
 */
export function findSerialFault(
  { serial, supersedes }: Pick<Published, 'serial' | 'supersedes'>,
  followed: number,
): 'older' | 'jump' | undefined {
  if (serial > followed + MAX_SERIAL_STEP) return 'jump';
  const isSuperseded = supersedes !== undefined && followed >= supersedes && serial < supersedes;
  return serial < followed && !isSuperseded ? 'older' : undefined;
}

/** The text that is signed: format, serial, with a superseded one after it, and the text of the index, separated by line breaks. */
export function signedText({ format, serial, supersedes, index }: Published): string {
  return `${format}\n${supersedes === undefined ? serial : `${serial} ${supersedes}`}\n${index}`;
}

import { hash } from 'node:crypto';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import {
  type FileRef,
  INDEX_FILE,
  type Index,
  type Manifest,
  READ_FORMATS,
  isObject,
} from '../../scripts/format/dist-format.ts';
import { indexSchema, manifestSchema } from '../../scripts/format/dist-schemas.ts';
import { describeSystemError, errorOf, readRegularFile } from '../../scripts/system.ts';

/** A dist/ that cannot be served: missing, in another format, incomplete or damaged. The message is one line for people. */
export class DistError extends Error {}

/** A file of dist/ that is missing, or does not match its reference. */
export class DamagedFileError extends DistError {
  /** What is wrong, without what to do. */
  readonly problem: string;
  /** What to do if the folder is what `gamedata build` wrote. */
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(`${problem}: ${advice}`);
    this.problem = problem;
    this.advice = advice;
  }
}

// The schemas are known to be valid, and checking them would take longer than compiling them.
const ajv = new Ajv({ validateSchema: false });
const REBUILD = 'delete it and run gamedata build';
const isIndex = ajv.compile<Index>(indexSchema);
const isManifest = ajv.compile<Manifest>(manifestSchema);

/**
 * Reads the index of a dist/ folder.
 *
 * @throws DistError
 */
export async function readIndex(folder: string): Promise<Index> {
  const file = path.join(folder, INDEX_FILE);
  const bytes = await readRegularFile(file).catch((error: unknown) => {
    const { code, message } = errorOf(error);
    if (code === 'EINVAL') throw new DistError(`${file} is not a regular file: ${REBUILD}`);
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new DistError(
      isMissing
        ? `no ${file}: run gamedata build, or name the folder with --dist`
        : `cannot read ${file} (${message}): let the user of this process read the folder`,
    );
  });
  return parseIndex(bytes, file);
}

/**
 * Reads the bytes of an index.
 *
 * @param file its name in messages
 * @throws DistError
 */
export function parseIndex(bytes: Buffer, file: string): Index {
  const value = parse(bytes, file);
  const format = isObject(value) ? value.format : undefined;
  if (format !== undefined && !READ_FORMATS.some((each) => each === format)) {
    throw new DistError(
      `${file} has format ${JSON.stringify(format)}, and this gateway reads format ${READ_FORMATS.join(' or ')}: use gamedata and gateway from the same release`,
    );
  }
  return validate(isIndex, value, file);
}

/** @throws DistError */
export async function readManifest(folder: string, ref: FileRef): Promise<Manifest> {
  const file = path.join(folder, ref.file);
  return validate(isManifest, parse(await readDistFile(folder, ref), file), file);
}

/**
 * Reads a file of dist/ and checks that it is complete.
 *
 * @throws DistError when it is missing, or its size or SHA-256 differs from its reference
 */
export async function readDistFile(folder: string, { file, bytes, sha256 }: FileRef): Promise<Buffer> {
  const fullPath = path.join(folder, file);
  const content = await readWhole(fullPath);
  if (content.length !== bytes) {
    throw new DamagedFileError(`${fullPath} has ${content.length} bytes, expected ${bytes}`, REBUILD);
  }
  if (hash('sha256', content) !== sha256) {
    throw new DamagedFileError(`${fullPath} is damaged (its SHA-256 differs)`, REBUILD);
  }
  return content;
}

async function readWhole(file: string): Promise<Buffer> {
  try {
    return await readRegularFile(file);
  } catch (error) {
    const failure = errorOf(error);
    if (failure.code === 'ENOENT')
      throw new DamagedFileError(`no ${file}, to which ${INDEX_FILE} leads`, 'run gamedata build');
    if (failure.code === 'EINVAL') throw new DamagedFileError(`${file} is not a regular file`, REBUILD);
    throw new DistError(`${file} cannot be read: ${describeSystemError(failure)}`);
  }
}

function parse(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new DistError(`${file} is not JSON: ${REBUILD}`);
  }
}

function validate<T>(check: ValidateFunction<T>, value: unknown, file: string): T {
  if (check(value)) return value;
  throw new DistError(
    `${file} does not follow format ${READ_FORMATS.join(' or ')}: ${ajv.errorsText(check.errors, { dataVar: 'it' })}`,
  );
}

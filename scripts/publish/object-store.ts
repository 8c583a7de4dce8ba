import type { S3Client } from '@aws-sdk/client-s3';

/** A place in a bucket of an S3-compatible store. */
export interface ObjectStore {
  /** What messages call it: `s3://bucket/prefix`. */
  name: string;
  client: S3Client;
  bucket: string;
  /** The key of a file below the prefix. */
  keyOf(file: string): string;
}

/** What `--endpoint` and its like take, for the help of commands. */
export const ENDPOINT_HELP = 'the S3-compatible store, https://…, where it is not that of AWS';
/** The environment variable that every tool for S3 knows. */
export const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_S3';

/** How long a connection may take to be made, and then be silent, in ms. */
const CONNECT_MS = 5000;
const SILENCE_MS = 20_000;

/** Whether an address is one in an S3-compatible store. */
export function isObjectStore(address: string): boolean {
  return /^s3:/i.test(address);
}

/**
 * Opens a place in a bucket. Credentials and region are found where the tools of AWS look: `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `~/.aws`, the machine's role.
 *
 * @param address `s3://bucket/prefix`
 * @param endpoint the address of a store that is not that of AWS; it is asked for buckets by path
 * @returns undefined where it is no such address
 */
export async function openObjectStore(
  address: string,
  endpoint: string | undefined,
): Promise<ObjectStore | undefined> {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/([\w.~/-]*))?$/.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  const below = prefix.replace(/\/+$/, '');
  // Which Node.js later releases of the client need is no news for who runs this one.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(endpoint !== undefined && process.env.AWS_REGION === undefined && { region: 'us-east-1' }),
    // Checksums of other kinds than SHA-256, which is sent and compared here, are not known to every store.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  });
  return {
    name: below === '' ? `s3://${bucket}` : `s3://${bucket}/${below}`,
    client,
    bucket,
    keyOf: (file) => (below === '' ? file : `${below}/${file}`),
  };
}

/** What a store, or the way to it, said was wrong; with what to do where it says that in riddles. */
export function describeStoreError(error: unknown): string {
  const { name, message } = error as Error;
  if (name === 'CredentialsProviderError')
    return 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return message === '' || message === 'UnknownError' ? name : message;
}

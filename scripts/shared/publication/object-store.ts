import type { S3Client } from '@aws-sdk/client-s3';

/** A place in a bucket of an S3-compatible store. */
export interface ObjectStore {
  /** Its name in messages: `s3://bucket/prefix`. */
  name: string;
  client: S3Client;
  bucket: string;
  /** The key of a file below the prefix. */
  keyOf(file: string): string;
}

/** The help text of `--endpoint` and `--s3-endpoint`. */
export const ENDPOINT_HELP = 'address of an S3-compatible store other than AWS, https://…';
/** The environment variable that all tools for S3 read. */
export const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_S3';

const MAX_CONNECT_MS = 5000;
/** How long a connection may be idle. */
const MAX_IDLE_MS = 20_000;

/** Whether an address is that of an object store: `s3://…`. */
export function isObjectStore(address: string): boolean {
  return /^s3:/i.test(address);
}

/**
 * Opens a place in a bucket. Credentials and region come from where the tools of AWS read them: `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `~/.aws`, or the machine's role.
 *
 * @param address `s3://bucket/prefix`
 * @param endpoint the address of a store other than AWS; requests to it name the bucket in their path
 * @returns undefined if `address` does not have this form
 */
export async function openObjectStore(
  address: string,
  endpoint: string | undefined,
): Promise<ObjectStore | undefined> {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/([\w.~/-]*))?$/.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  const below = prefix.replace(/\/+$/, '');
  // The client would print which Node.js its later releases need. The operator of this release has no use for that.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(endpoint !== undefined && process.env.AWS_REGION === undefined && { region: 'us-east-1' }),
    // Not every store knows the client's other checksums. SHA-256 is sent and compared by this code.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: MAX_CONNECT_MS, socketTimeout: MAX_IDLE_MS },
  });
  return {
    name: below === '' ? `s3://${bucket}` : `s3://${bucket}/${below}`,
    client,
    bucket,
    keyOf: (file) => (below === '' ? file : `${below}/${file}`),
  };
}

/** Reads a file of a store. @returns undefined if it does not exist */
export async function readObject(
  { client, bucket, keyOf }: ObjectStore,
  file: string,
): Promise<Buffer | undefined> {
  const { GetObjectCommand, NoSuchKey } = await import('@aws-sdk/client-s3');
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(file) }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

/** Why a request to a store failed, as text. For missing credentials it says what to do, unlike the client's message. */
export function describeStoreError(error: unknown): string {
  const { name, message } = error as Error;
  if (name === 'CredentialsProviderError')
    return 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  return message === '' || message === 'UnknownError' ? name : message;
}

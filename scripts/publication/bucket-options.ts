/** The help text of `--endpoint` and `--s3-endpoint`. */
export const ENDPOINT_HELP = 'address of an S3-compatible store other than AWS, https://…';
/** The environment variable that all tools for S3 read. */
export const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_S3';

/** Whether an address is that of an object store: `s3://…`. */
export function isObjectStore(address: string): boolean {
  return /^s3:/i.test(address);
}

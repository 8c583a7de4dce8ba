import { Port } from '../../../scripts/lib/port.ts';
import type { LinkScheme } from './link-scheme.ts';

/** Signs addresses of a bucket. */
export interface BucketSchemes {
  /**
   * @param address `s3://bucket/prefix`
   * @param endpoint of an S3-compatible store other than AWS
   * @param now ms since 1970
   * @returns undefined if the address is not that of a bucket
   */
  open(address: string, endpoint: string | undefined, now: () => number): Promise<LinkScheme | undefined>;
}

export const BUCKET_SCHEMES = new Port<BucketSchemes>();

import { type ObjectStore, StoreRefusalError } from '../../scripts/publish/object-store.ts';
import { DistError } from '../data/dist-folder.ts';
import { type DistSource, SourceFileError } from './dist-source.ts';

/** A dist/ in a bucket. */
export function s3Source(store: ObjectStore): DistSource {
  const { name } = store;
  return {
    name,
    async read(file, limit, signal) {
      const refuse = (reason: string, isMissing: boolean) =>
        new SourceFileError(`${name}/${file} cannot be fetched: ${reason}`, isMissing);
      const bytes = await store.read(file, limit, signal).catch((error: Error) => {
        if (error instanceof RangeError) throw refuse(error.message, false);
        // S3 says so to a reader without permission to list the bucket, if the file does not exist.
        if (error instanceof StoreRefusalError && error.code === 'AccessDenied')
          throw refuse(error.message, true);
        throw new DistError(`${name}/${file} cannot be fetched: ${error.message}`);
      });
      if (bytes === undefined) throw refuse('there is no such file', true);
      return bytes;
    },
  };
}

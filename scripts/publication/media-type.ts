import { BULK_FORMATS, BULK_TRAITS } from '../format/dist-format.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  zip: 'application/zip',
  ...Object.fromEntries(BULK_FORMATS.map((format) => [format, BULK_TRAITS[format].mediaType])),
};

/** Returns the media type of what a file of dist/ contains, compressed or not. */
export function mediaTypeOf(file: string): string {
  const extension = /\.([a-z]+)(?:\.gz|\.br)?$/.exec(file)?.[1] ?? '';
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}

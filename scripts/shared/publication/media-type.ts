const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  zip: 'application/zip',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
};

/** Returns the media type of what a file of dist/ contains, compressed or not. */
export function mediaTypeOf(file: string): string {
  const extension = /\.([a-z]+)(?:\.gz|\.br)?$/.exec(file)?.[1] ?? '';
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}

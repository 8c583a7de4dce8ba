/** How much is read for a build, and written to data/, in MB. */
export interface RawLimits {
  /** A file of upstream, or the files of an archive together (default: 512). */
  read_mb?: number;
  /** A file that is copied to the folder of a build (default: 50). */
  file_mb?: number;
  /** All files that are copied to the folder of a build (default: 200). */
  build_mb?: number;
  /** How long a fetch may take, in seconds (default: 900). */
  fetch_seconds?: number;
}

const MEGABYTE = 1024 * 1024;

/** The limits of a source, in bytes. */
export function limitsOfSource({ limits = {} }: { limits?: RawLimits }): {
  read: number;
  file: number;
  build: number;
  /** In ms. */
  maxMs: number;
} {
  const { read_mb = 512, file_mb = 50, build_mb = 200, fetch_seconds = 900 } = limits;
  const [read = 0, file = 0, build = 0] = [read_mb, file_mb, build_mb].map((mb) => mb * MEGABYTE);
  return { read, file, build, maxMs: fetch_seconds * 1000 };
}

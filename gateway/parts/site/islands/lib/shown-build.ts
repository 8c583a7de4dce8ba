// Which build the responses of the API are from that a page shows.

/** The build of a response, and whether the account of its key has caps, as free ones have. */
interface ShownBuild {
  build: string;
  isCapped: boolean;
}

let last: ShownBuild | undefined;

/** Notes the build of a response of the API that the page shows. */
export function noteBuild(build: ShownBuild): void {
  last = build;
}

/** Returns the build of the last response that the page shows; undefined if it shows none. */
export function shownBuild(): ShownBuild | undefined {
  return last;
}

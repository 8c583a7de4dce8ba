// Which build the responses of the API are from that a page shows. Each script of a page is bundled by itself, so it is kept in the document.

/** The build of a response, and whether the account of its key has caps, as free ones have. */
interface ShownBuild {
  build: string;
  isCapped: boolean;
}

/** Notes the build of a response of the API that the page shows. */
export function noteBuild({ build, isCapped }: ShownBuild): void {
  Object.assign(document.documentElement.dataset, { build, isCapped });
}

/** Returns the build of the last response that the page shows; undefined if it shows none. */
export function shownBuild(): ShownBuild | undefined {
  const { build, isCapped } = document.documentElement.dataset;
  return build === undefined ? undefined : { build, isCapped: isCapped === 'true' };
}

/** The part of micromatch 4.x that is used here; the package does not include types. */
declare module 'micromatch' {
  const micromatch: {
    makeRe(
      pattern: string,
      options: {
        posix: boolean;
        strictSlashes: boolean;
        nonegate: boolean;
        expandRange(from: string, to: string, step?: unknown): string;
      },
    ): RegExp;
  };
  export default micromatch;
}

/** The part of micromatch 4.x that is used here; the package does not include types. */
declare module 'micromatch' {
  const micromatch: {
    makeRe(pattern: string, options: Readonly<Record<string, boolean>>): RegExp;
  };
  export default micromatch;
}

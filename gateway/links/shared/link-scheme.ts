/** How addresses are signed, and what they lead to. One file per scheme. */
export interface LinkScheme {
  /**
   * Signs the address of a file.
   *
   * @param file its path in dist/
   * @param expires when the address expires, in seconds since 1970
   */
  sign(file: string, expires: number): string | Promise<string>;
  /** Returns whether the gateway signed an address; absent when addresses lead elsewhere. */
  isSigned?(file: string, expires: string, signature: string): boolean;
}

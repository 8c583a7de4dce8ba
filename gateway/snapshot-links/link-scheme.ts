/** How addresses are signed and where they lead. One file per scheme. */
export interface LinkScheme {
  /**
   * Signs the address of a file.
   *
   * @param file its path in dist/
   * @param expires until when the address is good, in s since 1970
   */
  sign(file: string, expires: number): string | Promise<string>;
  /** Whether an address that leads to the gateway was signed with it; absent where addresses lead elsewhere. */
  isSigned?(file: string, expires: string, signature: string): boolean;
}

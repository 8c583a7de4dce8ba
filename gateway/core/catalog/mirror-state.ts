/** The state of a mirror. */
export interface MirrorState {
  /** When the index of the source was last read, in ms since 1970; undefined when it never was. */
  readAt: number | undefined;
  /** The serial of what was last read; undefined when the source has none. */
  serial: number | undefined;
  /** Why the folder is not equal to the source; undefined when it is. */
  failure: string | undefined;
  /** Whether that is because the source has an older state than before, none any more, or one without the right signature. */
  isRefused: boolean;
  /** Whether the failure is about some games only: the folder is equal to the source in all others. */
  isPartial: boolean;
}

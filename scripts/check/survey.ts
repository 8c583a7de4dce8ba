/** What a look at all values of a list found. */
export interface ListSurvey {
  /** By dotted key. */
  attributes: ReadonlyMap<string, { path: readonly string[] }>;
  /** Whether attributes may have values of several kinds, and whether names of attributes contain dots: then dotted keys do not tell them apart. */
  hasMixedKinds: boolean;
  hasDots: boolean;
}

/** The same of a build, by the names of its lists and objects. */
export interface BuildSurvey {
  lists: ReadonlyMap<string, ListSurvey>;
}

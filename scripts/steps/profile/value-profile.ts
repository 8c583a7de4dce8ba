/** More texts or numbers than these are no categories. */
const MAX_CATEGORIES = 40;

/** The values of an attribute in all records of a list, those inside lists included. */
export interface ValueProfile {
  /** The dotted key, without positions in lists. */
  key: string;
  numbers: number;
  min: number;
  max: number;
  zeros: number;
  negatives: number;
  /** How many are -1, and how many have at least four digits, all of them 9: these stand for "none", mostly. */
  minusOnes: number;
  marks: number;
  /** Each number; undefined if there are more than 40. */
  choices: Set<number> | undefined;
  texts: number;
  /** Each text; undefined if there are more than 40. */
  categories: Set<string> | undefined;
}

/** The profile of an attribute without values. */
export function makeValues(key: string): ValueProfile {
  return {
    key,
    numbers: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    ...{ zeros: 0, negatives: 0, minusOnes: 0, marks: 0 },
    choices: new Set(),
    texts: 0,
    categories: new Set(),
  };
}

/** Adds a number to a profile. */
export function addNumber(profile: ValueProfile, value: number): void {
  profile.numbers++;
  if (value <= 0) {
    if (value === 0) profile.zeros++;
    else profile.negatives++;
    if (value === -1) profile.minusOnes++;
  } else if (value >= 9999 && value % 10_000 === 9999 && /^9+$/.test(String(value))) profile.marks++;
  if (value < profile.min) profile.min = value;
  if (value > profile.max) profile.max = value;
  if (profile.choices === undefined) return;
  profile.choices.add(value);
  if (profile.choices.size > MAX_CATEGORIES) profile.choices = undefined;
}

/** Adds a text to a profile. */
export function addTextValue(profile: ValueProfile, value: string): void {
  profile.texts++;
  if (profile.categories === undefined) return;
  profile.categories.add(value);
  if (profile.categories.size > MAX_CATEGORIES) profile.categories = undefined;
}

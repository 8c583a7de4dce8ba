import path from 'node:path';
import type { Finding, Outcome } from '../findings.ts';
import { BUILD_NAME, DATASET_KEY, type Json, type Withdrawal } from '../format/dist-format.ts';
import { readInside } from '../read/files.ts';
import { reason } from '../read/game-schema.ts';
import { instant } from '../read/schema.ts';
import { parseJson } from '../read/json.ts';
import { checkSchema, compileSchema, readInstant } from '../read/schema.ts';
import { suggestFix } from '../text.ts';

/** The file with a game's lasting corrections, in the game's folder. */
export const CORRECTIONS_FILE = 'corrections.json';

/** The value of `until` for a correction that ends with the first build in which upstream has the right value. */
export const UNTIL_AGREED = 'upstream agrees';

/** A lasting correction: from a build on, an attribute of a record has a value that upstream does not have. */
export interface Correction {
  /** Where corrections.json has it, as a JSON Pointer. */
  pointer: string;
  /** `characters` or the key of a dataset. */
  collection: string;
  /** Absent for a dataset that is one object. */
  id?: string;
  /** A dotted key. */
  attribute: string;
  value: Json;
  reason: string;
  /** The first build that is corrected. */
  since: string;
  /** `UNTIL_AGREED`, or the first build that is not corrected any more. */
  until?: string;
}

/** What corrections.json says. */
export interface CorrectionsFile {
  corrections: readonly Correction[];
  /** Released builds that were removed. */
  withdrawn: readonly Withdrawal[];
}

// `help` is the text that editors show for a property; `description` is the "expected" of a finding.

const buildName = { type: 'string', pattern: BUILD_NAME, description: 'the name of a build' };

const correction = {
  type: 'object',
  required: ['attribute', 'value', 'reason', 'since'],
  additionalProperties: false,
  properties: {
    collection: {
      type: 'string',
      pattern: DATASET_KEY,
      description: '"characters" or the key of a dataset',
      help: 'Where the record is: `characters`, which is the default, or the key of a dataset.',
    },
    id: {
      type: 'string',
      minLength: 1,
      help: 'The id of the record. A dataset that is one object has none.',
    },
    attribute: {
      type: 'string',
      pattern: '^[^.]+(\\.[^.]+)*$',
      description: 'a dotted key, such as stats.atk',
      help: 'The attribute, by its dotted key: `stats.atk`. A list is corrected as a whole.',
    },
    value: { help: 'The right value: any JSON value.' },
    reason: { ...reason, help: 'Why upstream is wrong, and how you know.' },
    since: { ...buildName, help: 'The first build that is corrected.' },
    until: {
      type: 'string',
      description: '"upstream agrees", or the name of a build',
      help: 'Where the correction ends: the first build that is not corrected any more; or `upstream agrees`, which ends it at the first build in which upstream has the value. Without it, it never ends.',
    },
  },
};

const withdrawal = {
  type: 'object',
  required: ['build', 'released_at', 'at', 'reason'],
  additionalProperties: false,
  properties: {
    build: { ...buildName, help: 'The name that the build had.' },
    released_at: { ...instant, help: 'When the build was released.' },
    at: { ...instant, help: 'When it was withdrawn.' },
    reason: { ...reason, help: 'Why it was withdrawn; the history shows it.' },
  },
};

/** JSON Schema of corrections.json. */
export const correctionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../corrections.schema.json". The compiler ignores it.',
    },
    corrections: {
      type: 'array',
      items: correction,
      help: 'Values that upstream has wrong. They are applied after the mapping, in every build since the one that is named.',
    },
    withdrawn: {
      type: 'array',
      items: withdrawal,
      help: 'Released builds that were removed; gamedata build --amend writes them.',
    },
  },
};

/** The corrections of a build, by its position. Of several for one attribute, the one that begins last applies. */
export function correctionsOf(
  corrections: readonly Correction[],
  builds: readonly string[],
  at: number,
): Correction[] {
  const current = new Map<string, Correction>();
  const began = (correction: Correction) => builds.indexOf(correction.since);
  for (const correction of corrections.toSorted((a, b) => began(a) - began(b))) {
    if (began(correction) > at) break;
    current.set(targetOf(correction), correction);
  }
  return [...current.values()].filter(({ until }) => {
    const end = until === undefined ? -1 : builds.indexOf(until);
    return end === -1 || at < end;
  });
}

/** What identifies the attribute that a correction is about. */
export function targetOf({ collection, id, attribute }: Correction): string {
  return JSON.stringify([collection, id ?? null, attribute]);
}

interface RawCorrections {
  corrections?: (Omit<Correction, 'pointer' | 'collection'> & { collection?: string })[];
  withdrawn?: Withdrawal[];
}

const validCorrections = compileSchema<RawCorrections>(correctionsSchema);
const CHECK = 'corrections';

/** @param builds the names of the game's builds, oldest first; undefined if some of them could not be read */
export async function readCorrectionsFile(
  folder: string,
  builds: readonly string[] | undefined,
): Promise<Outcome<CorrectionsFile>> {
  const none = { corrections: [], withdrawn: [] };
  const file = path.posix.join(folder, CORRECTIONS_FILE);
  const text = await readInside(folder, CORRECTIONS_FILE);
  if ('finding' in text) return { value: none, findings: [text.finding] };
  const parsed = parseJson(text.value, file);
  if ('finding' in parsed) return { value: none, findings: [parsed.finding] };
  if (parsed.findings.length > 0 || !validCorrections(parsed.value)) {
    const mismatches = checkSchema(validCorrections, parsed.value, CHECK, { file, pointer: '' });
    return { value: none, findings: [...parsed.findings, ...mismatches] };
  }
  const { corrections = [], withdrawn = [] } = parsed.value;
  const value = {
    corrections: corrections.map((raw, index) => ({
      collection: 'characters',
      ...raw,
      pointer: `/corrections/${index}`,
    })),
    withdrawn: withdrawn.map((each) => ({
      ...each,
      released_at: readInstant(each.released_at) ?? each.released_at,
      at: readInstant(each.at) ?? each.at,
    })),
  };
  const findings = builds ? checkBuilds(file, value, builds) : [];
  return { value: findings.length > 0 ? none : value, findings };
}

/** Finds corrections that name no build, and withdrawn builds that exist. */
function checkBuilds(
  file: string,
  { corrections, withdrawn }: CorrectionsFile,
  builds: readonly string[],
): Finding[] {
  const problems = [
    ...corrections.map((correction, index) => findProblem(correction, corrections.slice(0, index), builds)),
    ...withdrawn.map(({ build }, index): Problem | undefined =>
      builds.includes(build)
        ? {
            pointer: `/withdrawn/${index}/build`,
            found: `the build ${build}, which exists`,
            expected: 'a build whose folder was removed',
            fix: 'remove it from "withdrawn", or remove the folder again',
          }
        : undefined,
    ),
  ];
  return problems.flatMap((problem): Finding[] => {
    if (problem === undefined) return [];
    const { pointer, ...texts } = problem;
    return [{ check: CHECK, severity: 'error', place: { file, pointer }, ...texts }];
  });
}

type Problem = Pick<Finding, 'found' | 'expected' | 'fix'> & { pointer: string };

function findProblem(
  correction: Correction,
  earlier: readonly Correction[],
  builds: readonly string[],
): Problem | undefined {
  const { pointer, since, until } = correction;
  const from = builds.indexOf(since);
  if (from === -1) {
    const found = `no build "${since}"`;
    return {
      pointer: `${pointer}/since`,
      found,
      expected: 'a build of this game',
      ...suggestFix(since, builds),
    };
  }
  if (until !== undefined && until !== UNTIL_AGREED && builds.indexOf(until) <= from) {
    const isUnknown = !builds.includes(until);
    return {
      pointer: `${pointer}/until`,
      found: isUnknown ? `no build "${until}"` : `${until}, which is not after ${since}`,
      expected: `"${UNTIL_AGREED}", or a build after ${since}`,
      ...(isUnknown && suggestFix(until, builds)),
    };
  }
  const isSecond = earlier.some((other) => other.since === since && targetOf(other) === targetOf(correction));
  return isSecond
    ? {
        pointer,
        found: `a second correction of this attribute since ${since}`,
        expected: 'one',
        fix: 'remove it',
      }
    : undefined;
}

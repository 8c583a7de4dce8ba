import path from 'node:path';
import type { Finding, Outcome } from '../findings/findings.ts';
import type { Withdrawal } from '../format/dist-format.ts';
import { suggestFix } from '../lib/nearest.ts';
import { parseJson } from '../read/formats/json.ts';
import {
  CORRECTIONS_FILE,
  type Correction,
  type CorrectionsFile,
  UNTIL_AGREED,
} from '../read/game/corrections.ts';
import { readInside } from '../read/named-file.ts';
import { readInstant } from '../schemas/instant.ts';
import { checkSchema, compileSchema } from '../schemas/schema.ts';
import { targetOf } from './corrections-of.ts';
import { correctionsSchema } from './corrections-schema.ts';

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

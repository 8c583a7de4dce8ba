import { errorAt, type Finding, type WithFindings } from '../findings.ts';
import { BUILD_NAME, DATASET_KEY, type Json, type Withdrawal } from '../format/dist-format.ts';
import { list, object, type Schema, type Static, text } from '../format/json-schema.ts';
import { reason, schemaOf } from '../read/game-schema.ts';
import { instant, readInstant } from '../read/schema.ts';
import { suggestFix } from '../text.ts';

/** The file in a game's folder with its lasting corrections. */
export const CORRECTIONS_FILE = 'corrections.json';

// `help` is the text that editors show for a property; `description` is the "expected" of a finding.

const buildName = text({ pattern: BUILD_NAME, description: 'the name of a build' });

const correction = object(
  {
    attribute: text({
      pattern: '^[^.]+(\\.[^.]+)*$',
      description: 'a dotted key, such as stats.atk',
      help: 'The attribute, by its dotted key: `stats.atk`. A list is corrected as a whole.',
    }),
    value: { help: 'The right value: any JSON value.' } as Schema<Json>,
    reason: { ...reason, help: 'Why upstream is wrong, and how you know.' },
    since: { ...buildName, help: 'The first build that is corrected.' },
  },
  {
    collection: text({
      pattern: DATASET_KEY,
      description: '"characters" or the key of a dataset',
      help: 'Where the record is: `characters`, which is the default, or the key of a dataset.',
    }),
    id: text({ minLength: 1, help: 'The id of the record. A dataset that is one object has none.' }),
    until: {
      ...buildName,
      help: 'Where the correction ends: the first build that is not corrected any more. Without it, it never ends.',
    },
  },
);
/** A lasting correction: from a build on, an attribute of a record has another value than upstream. `pointer` is its place in corrections.json. */
export type Correction = Static<typeof correction> & { pointer: string; collection: string };

const withdrawal: Schema<Withdrawal> = object({
  build: { ...buildName, help: 'The name that the build had.' },
  released_at: { ...instant, help: 'When the build was released.' },
  at: { ...instant, help: 'When it was withdrawn.' },
  reason: { ...reason, help: 'Why it was withdrawn; the history shows it.' },
});

/** JSON Schema of corrections.json. */
export const correctionsSchema = object(
  {},
  {
    ...schemaOf('../corrections.schema.json'),
    corrections: list(correction, {
      help: 'Values that upstream has wrong. They are applied after the mapping, in every build since the one that is named.',
    }),
    withdrawn: list(withdrawal, {
      help: 'Released builds that were removed; gamedata build --amend writes them.',
    }),
  },
);
/** The raw content of corrections.json. */
export type RawCorrections = Static<typeof correctionsSchema>;

/** Returns the corrections of a build, by its position. Of several for one attribute, the one that begins last applies. */
export function correctionsOf(
  corrections: readonly Correction[],
  builds: readonly string[],
  at: number,
): Correction[] {
  const began = ({ since }: Correction) => builds.indexOf(since);
  const begun = corrections.filter((each) => began(each) <= at).sort((a, b) => began(a) - began(b));
  const current = new Map(begun.map((each) => [targetOf(each), each]));
  const isOver = (until: string) => builds.includes(until) && builds.indexOf(until) <= at;
  return [...current.values()].filter(({ until }) => until === undefined || !isOver(until));
}

/** Identifies the attribute of a correction. */
export function targetOf({ collection, id, attribute }: Correction): string {
  return JSON.stringify([collection, id ?? null, attribute]);
}

/**
 * Completes the content of corrections.json. If any of it is wrong, none of it applies.
 *
 * @param file the path for findings
 * @param builds the names of the game's builds, oldest first; undefined if some could not be read
 */
export function readCorrections(
  { corrections: raw = [], withdrawn = [] }: RawCorrections,
  file: string,
  builds: readonly string[] | undefined,
): WithFindings<{ corrections: readonly Correction[]; withdrawn: readonly Withdrawal[] }> {
  const corrections = raw.map((each, index) => ({
    collection: 'characters',
    ...each,
    pointer: `/corrections/${index}`,
  }));
  const findings: Finding[] = [];
  const report = (pointer: string, found: string, expected: string, fix?: string) =>
    findings.push(errorAt('corrections', { file, pointer }, found, expected, fix));
  const names = builds ?? [];
  for (const [at, correction] of builds ? corrections.entries() : []) {
    const { pointer, since, until } = correction;
    for (const [member, build] of Object.entries({ since, until })) {
      if (build === undefined || names.includes(build)) continue;
      const { fix } = suggestFix(build, names);
      report(`${pointer}/${member}`, `no build "${build}"`, 'a build of this game', fix);
    }
    if (until !== undefined && names.includes(until) && names.indexOf(until) <= names.indexOf(since))
      report(`${pointer}/until`, `${until}, which is not after ${since}`, `a build after ${since}`);
    const isTwin = (other: Correction) => other.since === since && targetOf(other) === targetOf(correction);
    if (corrections.slice(0, at).some(isTwin))
      report(pointer, `a second correction of this attribute since ${since}`, 'one', 'remove it');
  }
  for (const [at, { build }] of withdrawn.entries()) {
    if (!names.includes(build)) continue;
    const [found, expected] = [`the build ${build}, which exists`, 'a build whose folder was removed'];
    const fix = 'remove it from "withdrawn", or remove the folder again';
    report(`/withdrawn/${at}/build`, found, expected, fix);
  }
  if (findings.length > 0) return { value: { corrections: [], withdrawn: [] }, findings };
  const utc = (time: string) => readInstant(time) ?? time;
  const inUtc = withdrawn.map((each) => ({ ...each, released_at: utc(each.released_at), at: utc(each.at) }));
  return { value: { corrections, withdrawn: inUtc }, findings };
}

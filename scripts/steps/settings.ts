import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { suggestFix } from '../lib/nearest.ts';
import type { CheckSettings } from '../read/game/definition.ts';
import { CHECK_NAMES } from '../findings/check-names.ts';
import { CONTENT_CHECKS } from './content/content-checks.ts';
import type { Rule, Threshold } from './rule.ts';
import { GAME_CHECKS } from './game/check-game.ts';
import { GATES } from './step-checker.ts';

/** All checks of this part. */
export const STEP_RULES: readonly Rule<string>[] = [...GAME_CHECKS, ...CONTENT_CHECKS, ...GATES];

const SETTABLE = STEP_RULES.filter(({ thresholds }) => Object.keys(thresholds).length > 0);

/** The JSON Schema of `checks` in game.json, with every check that has thresholds, for editors. */
export function settingsSchema(): object {
  return {
    type: 'object',
    additionalProperties: false,
    help: 'Thresholds of checks, by the name of the check. Without it, the defaults apply.',
    properties: Object.fromEntries(
      SETTABLE.map(({ name, description, thresholds }) => [
        name,
        {
          type: 'object',
          additionalProperties: false,
          help: description,
          properties: Object.fromEntries(
            Object.entries(thresholds).map(([key, threshold]) => [key, numberSchema(threshold)]),
          ),
        },
      ]),
    ),
  };
}

function numberSchema({ default: value, min, max, help }: Threshold): object {
  return { type: 'number', minimum: min, maximum: max, default: value, help };
}

/**
 * Finds what is wrong with `checks` in a game.json: names of no check or threshold, and numbers that are out of range.
 *
 * @param folder the game's folder, for findings
 */
export function checkSettings(folder: string, checks: CheckSettings): Finding[] {
  const at = (pointer: string) => ({ file: path.posix.join(folder, 'game.json'), pointer });
  return Object.entries(checks).flatMap(([name, values]): Finding[] => {
    const pointer = pointerTo('/checks', name);
    const rule = SETTABLE.find((other) => other.name === name);
    if (rule !== undefined)
      return Object.entries(values).flatMap(([key, value]) =>
        checkThreshold(rule, key, value).map((wrong) =>
          toFinding({ ...wrong, place: at(pointerTo(pointer, key)) }),
        ),
      );
    const expected = expectName(
      name,
      SETTABLE.map((other) => other.name),
    );
    const exists = CHECK_NAMES.some((other) => other === name);
    const found = `thresholds of "${name}", ${exists ? 'which has none' : 'which is no check'}`;
    return [toFinding({ place: at(pointer), found, ...expected })];
  });
}

type Wrong = Pick<Finding, 'found' | 'expected' | 'fix'>;

function checkThreshold({ name, thresholds }: Rule<string>, key: string, value: number): Wrong[] {
  const threshold = Object.hasOwn(thresholds, key) ? thresholds[key] : undefined;
  if (threshold === undefined)
    return [
      { found: `"${key}", which is no threshold of ${name}`, ...expectName(key, Object.keys(thresholds)) },
    ];
  const { min, max, help } = threshold;
  return value >= min && value <= max
    ? []
    : [{ found: `the number ${value}`, expected: `a number from ${min} to ${max}: ${help}` }];
}

function expectName(name: string, names: readonly string[]): Pick<Wrong, 'expected' | 'fix'> {
  return { expected: `one of ${names.join(', ')}`, ...suggestFix(name, names) };
}

function toFinding(wrong: Omit<Finding, 'check' | 'severity'>): Finding {
  return { check: 'definition', severity: 'error', ...wrong };
}

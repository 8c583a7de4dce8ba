import type { Json } from '../../../scripts/format/json.ts';
import { fullLabel, type Known, labelOf, unitOf } from './format-value.ts';
import { isObject } from './in-order.ts';

/** One line of a plot: a value for each x, null where there is none. */
export interface Line {
  key: string;
  label: string;
  unit: string | undefined;
  values: (number | null)[];
}

/** What a plot shows. Its table is the text alternative. */
export interface Plot {
  title: string;
  /** The name of the values on the x axis. */
  x: string;
  /** Whether x are times, in seconds since 1970, rather than numbers. */
  isTime: boolean;
  /** Ascending. */
  xs: number[];
  /** What the table shows in the place of x, such as the names of builds. */
  names: string[] | undefined;
  lines: Line[];
}

/** The attributes by which a table is ordered, if it is one of levels. */
export const STEPS = ['level', 'lv', 'max_level', 'rank', 'phase', 'ascension', 'mastery'];
/** Fewer points are no curve. */
const MIN_POINTS = 3;
const MAX_LINES = 12;

/**
 * Makes a plot of a list of levels, such as `levels: [{level, hp, atk}, …]`.
 *
 * @param key the dotted key of the list
 * @returns undefined if the list does not grow by a level
 */
export function plotOfLevels(
  rows: readonly Json[],
  key: string,
  attributes: ReadonlyMap<string, Known>,
  lang = '',
): Plot | undefined {
  const objects = rows.filter(isObject);
  if (objects.length < MIN_POINTS || objects.length < rows.length) return undefined;
  const step = STEPS.find((name) => isAscending(objects.map((row) => row[name])));
  if (step === undefined) return undefined;
  const attributeOf = (name: string) => attributes.get(`${key}.${name}`) ?? { key: `${key}.${name}` };
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))].filter(
    (name) => !STEPS.includes(name),
  );
  const lines = names.flatMap((name): Line[] => {
    const values = objects.map((row) => numberOf(row[name]));
    const isCurve = new Set(values.filter((value) => value !== null)).size > 1;
    return isCurve
      ? [{ key: name, label: labelOf(attributeOf(name), lang), unit: unitOf(attributeOf(name)), values }]
      : [];
  });
  if (lines.length === 0) return undefined;
  return {
    title: fullLabel(attributes, key, lang),
    x: labelOf(attributeOf(step), lang),
    isTime: false,
    xs: objects.map((row) => numberOf(row[step]) ?? 0),
    names: undefined,
    lines: lines.slice(0, MAX_LINES),
  };
}

/** The response of `/api/{game}/history/{id}/series`. */
export interface Series {
  fields: string[];
  series: { build: string; released_at: string; values: Json[] }[];
}

/** Makes a plot of the values of a unit in each build. Attributes that never changed are left out. */
export function plotOfSeries(
  { fields, series }: Series,
  attributes: ReadonlyMap<string, Known>,
  lang = '',
): Plot {
  const lines = fields.flatMap((key, at): Line[] => {
    const values = series.map((entry) => numberOf(entry.values[at]));
    const isChanged = new Set(values.filter((value) => value !== null)).size > 1;
    const unit = unitOf(attributes.get(key) ?? { key });
    return isChanged ? [{ key, label: fullLabel(attributes, key, lang), unit, values }] : [];
  });
  return {
    title: 'Stats over builds',
    x: 'Build',
    isTime: true,
    xs: series.map(({ released_at }) => Date.parse(released_at) / 1000),
    names: series.map(({ build }) => build),
    lines,
  };
}

function isAscending(values: readonly (Json | undefined)[]): boolean {
  return values.every((value, at) => {
    const before = at === 0 ? Number.NEGATIVE_INFINITY : values[at - 1];
    return typeof value === 'number' && typeof before === 'number' && before <= value;
  });
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

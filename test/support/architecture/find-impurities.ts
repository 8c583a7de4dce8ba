import { type Code, loadsOf, roomOf } from './code.ts';
import { findWays } from './find-cycles.ts';

/** Rooms that only compute. */
export const PURE_ROOMS = ['scripts/core/compile', 'scripts/core/check', 'scripts/core/diff'];

/** The modules that they may load. */
const PURE_MODULES = [
  'node:path',
  'node:util',
  'ajv',
  're2js',
  'entities',
  'fastest-levenshtein',
  'json-diff',
  'jsonata',
];

/** Rooms that report or limit work. A pure room does not load them: its callers do, and pass a callback. */
const CALLERS = ['scripts/core/watchdog', 'scripts/core/workers'];

/** Finds impure code in the pure rooms and in the files that they load, with the imports that lead there. */
export function findImpurities(code: Code): string[] {
  const { sources } = code;
  const starts = [...sources.keys()].filter((file) => PURE_ROOMS.includes(roomOf(file) ?? ''));
  const ways = findWays(loadsOf(code), starts);
  return [...new Set([...starts, ...ways.keys()])].flatMap((file) => {
    const source = sources.get(file);
    if (source === undefined) return [];
    const isStart = starts.includes(file);
    const way = isStart ? '' : ` (${ways.get(file)?.join(' → ')})`;
    const modules = source.imports.filter(({ target, isType }) => (isStart || !isType) && !isPure(target));
    return [
      ...modules.map(({ target, line }) => `${file}:${line} imports ${target}${way}`),
      ...source.surroundings.map(({ name, line }) => `${file}:${line} uses ${name}${way}`),
    ];
  });
}

function isPure(target: string): boolean {
  const room = roomOf(target);
  return room === undefined ? PURE_MODULES.includes(target) : !CALLERS.includes(room);
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { findWays, type Graph, graphOf } from './find-cycles.ts';
import { type Import, parseSource, type SourceFile } from './parse-source.ts';

/** The project as the checks see it. */
export interface Code {
  /** The source files below scripts/ and gateway/, by path. */
  sources: ReadonlyMap<string, SourceFile>;
  /** The text of the other files: READMEs, package.json and the architecture's page, by path. */
  texts: ReadonlyMap<string, string>;
  /** All rooms, by path: folders, and files that are in no folder. */
  rooms: readonly string[];
}

/** An import from one room into another. */
export interface Arrow extends Import {
  file: string;
  from: string;
  to: string;
}

/** Makes the code from the texts of files, by path. */
export function parseCode(files: Readonly<Record<string, string>>): Code {
  const entries = Object.entries(files);
  const isSource = (file: string) => /^(scripts|gateway)\/.*\.tsx?$/.test(file);
  const rooms = entries.flatMap(([file]) => roomOf(file) ?? []);
  return {
    sources: new Map(
      entries.filter(([file]) => isSource(file)).map(([file, text]) => [file, parseSource(file, text)]),
    ),
    texts: new Map(entries.filter(([file]) => !isSource(file))),
    rooms: [...new Set(rooms)].sort(),
  };
}

/** Reads the project in a folder. */
export async function readCode(root: string): Promise<Code> {
  const found = await fastGlob(['{scripts,gateway}/**', 'package.json', 'docs/ARCHITECTURE.md'], {
    cwd: root,
  });
  const texts = found.sort().map(async (file) => [file, await readFile(path.join(root, file), 'utf8')]);
  return parseCode(Object.fromEntries(await Promise.all(texts)) as Record<string, string>);
}

/** The parts whose folders are rooms too. */
const WITH_ROOMS = ['gateway/parts/people', 'scripts/parts/upstream'];

/** The room that a file is in: a folder below core/ or parts/, or below a part that has rooms. A file in none of these is itself a room. */
export function roomOf(file: string): string | undefined {
  const [top = '', half = '', name, inner, ...rest] = file.split('/');
  if (half === '' || (top !== 'scripts' && top !== 'gateway')) return undefined;
  const place = [top, half, ...(name === undefined ? [] : [name])].join('/');
  return WITH_ROOMS.includes(place) && rest.length > 0 ? `${place}/${inner}` : place;
}

/** The part that a file belongs to; undefined in the core. */
export function partOf(file: string): string | undefined {
  return /^(scripts|gateway)\/parts\/[^/]+/.exec(file)?.[0];
}

/** Whether a room is a folder. */
export function isFolder(room: string): boolean {
  return !/\.tsx?$/.test(room);
}

/** All imports that lead into another room. */
export function arrowsOf({ sources }: Code): Arrow[] {
  return [...sources].flatMap(([file, { imports }]) =>
    imports.flatMap((found) => {
      const from = roomOf(file);
      const to = roomOf(found.target);
      return from !== undefined && to !== undefined && from !== to ? [{ ...found, file, from, to }] : [];
    }),
  );
}

/** What each file loads: all that it imports except types. @param withLater also what it loads later */
export function loadsOf({ sources }: Code, withLater = true): Graph {
  return graphOf(
    [...sources].flatMap(([file, { imports }]) =>
      imports
        .filter(({ isType, isLater }) => !isType && (withLater || !isLater))
        .map(({ target }) => [file, target] as const),
    ),
  );
}

/** The packages that a file loads, itself or through others, in alphabetical order. */
export function packagesOf(code: Code, file: string): string[] {
  const loaded = [...findWays(loadsOf(code), [file]).keys()];
  return [...new Set(loaded.flatMap((target) => packageOf(target) ?? []))].sort();
}

/** The package of an imported module; undefined for a file, and for a module that is part of Node.js. */
export function packageOf(target: string): string | undefined {
  if (roomOf(target) !== undefined || target.startsWith('node:')) return undefined;
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

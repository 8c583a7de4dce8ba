import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';

/** Files of a build that are not in its folder, as `from` in build.json names them. */
export interface RawReferences {
  /** Absent: the repository that `source` in game.json names. */
  git?: string;
  commit: string;
  /** By path in the folder of the build: the SHA-256 of the content; with `path` if the file has another path in the repository. */
  files: Record<string, string | { path: string; sha256: string }>;
}

/** A file of a build that is in a commit of a repository instead of the build's folder. */
export interface Reference {
  /** Its path inside the build's folder. */
  file: string;
  /** Of its content, hexadecimal. */
  sha256: string;
  /** The address of the repository. */
  git: string;
  commit: string;
  /** Its path in the repository. */
  path: string;
  /** Where its copy is, once it was fetched. */
  cached: string;
}

/** How upstream repositories and files are fetched. */
export interface UpstreamOptions {
  /** The folder where copies of repositories and their files are kept. */
  cache: string;
  /** Whether a repository may be in a private network or on this machine. */
  allowLocal: boolean;
}

export const DEFAULT_UPSTREAM_CACHE = 'var/upstream';

/** Where the copy of a file is. It keeps its name, which decides its format and can be the key of a row. */
export function cachedFile(cache: string, sha256: string, file: string): string {
  return path.posix.join(cache, 'files', sha256, path.posix.basename(file));
}

/**
 * Resolves `from` of a build.json.
 *
 * @param git the repository of those that name none
 * @param place the file, for findings
 */
export function resolveReferences(
  raw: RawReferences | RawReferences[],
  git: string | undefined,
  cache: string,
  place: { file: string },
  findings: Finding[],
): Reference[] {
  const references = new Map<string, Reference>();
  const report = (pointer: string, text: string, expected: string) =>
    findings.push({
      ...{ check: 'definition', severity: 'error', place: { ...place, pointer } },
      ...{ found: text, expected },
    });
  for (const [index, { git: own = git, commit, files }] of [raw].flat().entries()) {
    const at = Array.isArray(raw) ? pointerTo('/from', index) : '/from';
    if (own === undefined) {
      report(at, 'no "git", and game.json names no repository in "source" either', 'the address of one');
      continue;
    }
    for (const [file, named] of Object.entries(files)) {
      const { path: inside, sha256 } = typeof named === 'string' ? { path: file, sha256: named } : named;
      if (references.has(file)) report(pointerTo(`${at}/files`, file), `"${file}" a second time`, 'it once');
      const cached = cachedFile(cache, sha256, file);
      references.set(file, { file, sha256, git: own, commit, path: inside, cached });
    }
  }
  return [...references.values()];
}

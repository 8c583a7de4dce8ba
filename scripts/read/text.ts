import type { Finding } from '../findings.ts';

/**
 * Decodes a file's bytes as UTF-8, with or without a byte order mark.
 *
 * @param bytes undefined where the file could not be read
 * @param file the path that a finding names
 */
export function decodeText(
  bytes: Buffer | undefined,
  file: string,
): { value: string } | { finding: Finding } {
  if (bytes === undefined) {
    return {
      finding: textFinding(
        file,
        'a file that cannot be read',
        'a readable file',
        'check that it exists and its permissions',
      ),
    };
  }
  try {
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return {
      finding: textFinding(file, 'bytes that are not UTF-8', 'UTF-8 text', 'convert the file to UTF-8'),
    };
  }
}

function textFinding(file: string, found: string, expected: string, fix: string): Finding {
  return {
    check: 'file-text',
    severity: 'error',
    place: { file, pointer: '', line: 1 },
    found,
    expected,
    fix,
  };
}

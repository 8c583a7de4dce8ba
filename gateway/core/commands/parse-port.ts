import { InvalidArgumentError } from 'commander';

/** Parses the number of a port. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new InvalidArgumentError('expected a number from 0 to 65535.');
}

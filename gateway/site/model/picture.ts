import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import { valueAt } from './facets.ts';

/** Where the picture of a record is, and from where pictures may be shown. */
export interface PictureKeys {
  /** The dotted key of the attribute with its address. */
  key: string;
  /** The hosts that the operator allows for the game. */
  hosts: readonly string[];
}

/** Returns the address of a picture if its host is one of those: https, without a port, a name or a password; undefined otherwise. */
export function allowedPicture(value: Json | undefined, hosts: readonly string[]): string | undefined {
  if (typeof value !== 'string' || hosts.length === 0 || !URL.canParse(value)) return undefined;
  const { protocol, username, password, host, href } = new URL(value);
  const isPlain = protocol === 'https:' && username === '' && password === '';
  return isPlain && hosts.includes(host) ? href : undefined;
}

/** Returns the picture of a record; undefined without one, or if it may not be shown. */
export function pictureOf(record: JsonObject, picture: PictureKeys | undefined): string | undefined {
  return picture && allowedPicture(valueAt(record, picture.key), picture.hosts);
}

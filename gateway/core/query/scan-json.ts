const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;
/** `{` */
export const OPEN_OBJECT = 0x7b;
/** `[` */
export const OPEN_LIST = 0x5b;

/** Returns where a text ends that begins at a position, after its closing quote. */
export function skipString(json: Buffer, start: number): number {
  let at = start + 1;
  while (json[at] !== QUOTE && at < json.length) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Returns where a value ends that begins at a position of a JSON without white space between tokens. */
export function skipValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return skipString(json, start);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) {
    let at = start;
    while (json[at] !== COMMA && json[at] !== CLOSE_OBJECT && json[at] !== CLOSE_LIST && at < json.length)
      at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < json.length; ) {
    const unit = json[at];
    if (unit === QUOTE) {
      at = skipString(json, at);
      continue;
    }
    at++;
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth++;
    else if ((unit === CLOSE_OBJECT || unit === CLOSE_LIST) && --depth === 0) return at;
  }
  return json.length;
}

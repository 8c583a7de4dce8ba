import { pick } from '../campaigns/campaign.ts';

/** Characters that mean something to a parser, and some that do not. */
const MARKS = [
  ...'.[](){}"\'\\/,;:=&+-_*?#@!|<>^$%~ \t0a1Aé',
  'カ',
  '가',
  '\u0301',
  '\u0323',
  '🎲',
  '\ud800',
];
/** What parsers look for the other end of, or split by. */
const BRACKETS = [...'.[](){"\',;:= '];
/** Beginnings of what the gateway parses. */
const WORDS = [
  ...[
    'Version/',
    'gdr_abcdefgh',
    'bytes=',
    'xn--',
    'https://',
    'element=',
    'element[ne]',
    'tags.',
    '[m].',
    'q=0.1',
  ],
  ...[
    '%25',
    '%2e',
    '%C',
    'W/"',
    '"\\u0000',
    '{"a":',
    '[[',
    '"a",',
    'name_ja',
    'unit-1',
    '-name',
    '127.0.0.1,',
    '::1 ',
  ],
];

/** Makes texts that are malformed and long. */
export class HostileText {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Makes a text of about so many characters. */
  make(length: number): string {
    const fill = (part: number) => repeat(this.#unit(), Math.floor(length * part));
    const makers = [
      () => fill(1),
      () => fill(0.5) + fill(0.5),
      () => this.#unit() + fill(1) + this.#unit(),
      () => fill(0.3) + fill(0.3) + fill(0.4),
      () => Array.from({ length }, () => pick(MARKS, this.#random)).join(''),
    ];
    return pick(makers, this.#random)().slice(0, length);
  }

  /** Makes a JSON value whose text has about so many characters, or a text that is nearly JSON. */
  makeJson(length: number): string {
    const name = () => JSON.stringify(this.make(Math.floor(this.#random() * 30)));
    const list = (element: string) => `[${repeat(`${element},`, length)}${element}]`;
    const depth = Math.floor(length / 2);
    const makers = [
      () => JSON.stringify(this.make(length)),
      () => list(pick(['0', '""', '{}', '[]', name(), '1e400'], this.#random)),
      () => `${'['.repeat(depth)}${']'.repeat(depth)}`,
      () => `${repeat('{"a":', length)}1${'}'.repeat(Math.floor(length / 5))}`,
      () => `{${Array.from({ length: Math.floor(length / 12) }, (_, at) => `"k${at}":${at}`).join()}}`,
      () => `-${'9'.repeat(length)}`,
      () => this.make(length),
    ];
    return pick(makers, this.#random)();
  }

  #unit(): string {
    const chance = this.#random();
    if (chance < 0.4) return pick(BRACKETS, this.#random);
    if (chance < 0.6) return pick(WORDS, this.#random);
    const length = 1 + Math.floor(this.#random() ** 2 * 3);
    return Array.from({ length }, () => pick(MARKS, this.#random)).join('');
  }
}

function repeat(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length));
}

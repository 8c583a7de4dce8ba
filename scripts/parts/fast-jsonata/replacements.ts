import type { RewriteTable } from './rewrite.ts';

/** For the file `jsonata.js` of jsonata 2.2.2, the version that package.json names. */
export const JSONATA_2_2_2: RewriteTable = {
  sha256: '9c2a35f4d895797f123f65c7f9a4ce16b3a295d209e0f3f225a0c3bae1bd9049',
  repairs: [
    {
      name: 'undefined in an empty list',
      why: 'a group adds undefined to an empty list, which may be one of the tables: it gets its own list',
      pattern: /input\.push\(undefined\);/g,
      by: 'input = [undefined];',
      times: 1,
    },
    {
      name: 'a copy by JSON',
      why: 'the operand before ?? and ?: is copied as JSON, which loses regexes and functions; an empty regex matches without end',
      pattern: /JSON\.parse\(JSON\.stringify\(left\)\)/g,
      by: 'copyOf(left)',
      times: 2,
    },
  ],
  synchronous: [
    {
      name: 'async',
      why: 'a function returns its value',
      pattern: /\basync (?=function|\()/g,
      by: '',
      times: 46,
    },
    {
      name: 'await Promise.all',
      why: 'the list holds values already',
      pattern: /\bawait Promise\.all\b/g,
      by: '',
      times: 2,
    },
    {
      name: 'await',
      why: 'a call has returned its value already',
      pattern: /\bawait /g,
      by: '',
      times: 103,
    },
    {
      name: 'hooks of debuggers',
      why: 'each step looks up three of them, and nothing sets them',
      pattern: /(?:environment|enclosingEnvironment)\.lookup\(Symbol\.for\('jsonata\.__\w+'\)\)/g,
      by: 'undefined',
      times: 3,
    },
  ],
};

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKofi } from '../../../../gateway/people/membership/ko-fi.ts';
import { createPatreon } from '../../../../gateway/people/membership/patreon.ts';
import type { Platform } from '../../../../gateway/people/membership/platform.ts';
import { ExportError, readExport } from '../../../../gateway/people/membership/read-export.ts';

const test = suite('export of members');
const patreon = createPatreon({ PATREON_MIN_CENTS: '500' }) as Platform;
const kofi = createKofi({ KOFI_MIN_AMOUNT: '5 USD' }) as Platform;

const PATREON = `User ID,Email,Patron Status,Pledge Amount,Last Charge Date,Last Charge Status,Next Charge Date
1,ada@example.org,Active patron,5.00,2030-06-01 08:00:10,Paid,2030-07-01 00:00:00
2,bob@example.org,Former patron,5.00,2030-05-01 08:00:10,Paid,
`;
const KOFI = `DateTime (UTC),From,Message,Item,Received,Given,Currency,TransactionType,TransactionId,Reference,SalesTax,BuyerEmail
2030-05-01 10:00,Jo,"Thanks,
a lot",Gold,5.00,,USD,Subscription,t1,,0,jo@example.org
2030-06-01 10:00,Jo,,Gold,5.00,,USD,Subscription,t2,,0,jo@example.org
2030-06-02 10:00,Kim,,Ko-fi Support,50.00,,USD,Tip,t3,,0,kim@example.org
`;

function read(platform: Platform, text: string) {
  return readExport(platform, Buffer.from(text));
}

test('the events of one member are together, and rows that do not buy Pro are counted', () => {
  const { members, ignored } = read(kofi, KOFI);
  const [payments] = members.values();
  assert.equal([members.size, ignored], [1, 1]);
  assert.equal(
    payments?.map(({ id, paid_until }) => [id, paid_until]),
    [
      ['t1', '2030-06-05T10:00:00.000Z'],
      ['t2', '2030-07-06T10:00:00.000Z'],
    ],
  );
});

test('an export may have a byte order mark, any line ends, and additional columns', () => {
  const plain = read(patreon, PATREON);
  assert.equal([...plain.members.keys()], ['1', '2']);
  const other = PATREON.replaceAll(/\n(?!$)/g, ',more\r\n').replace(/\n$/, ',more\r\n\r\n');
  assert.equal(read(patreon, `\uFEFF${other}`), plain);
});

const WRONG: [what: string, platform: Platform, text: string, message: RegExp][] = [
  [
    'of another platform',
    patreon,
    KOFI,
    /^it has no column "Email", "Patron Status".*expected the member export of patreon/,
  ],
  ['empty', patreon, '', /^it has no column "Email"/],
  ['cut short', patreon, `${PATREON}3,cay@exam`, /Invalid Record Length.*on line 4/],
  ['with an open quote', kofi, KOFI.replace('t2', '"t2'), /Quote/],
  [
    'with a malformed amount',
    kofi,
    KOFI.replace('Gold,5.00,,USD,Subscription,t2', 'Gold,lots,,USD,Subscription,t2'),
    /^line 4: "Received" is "lots"/,
  ],
  [
    'with malformed times',
    patreon,
    PATREON.replaceAll('08:00:10', 'soon'),
    /^line 2: .*"2030-06-01 soon".*\nline 3: .*"2030-05-01 soon"/,
  ],
  ['full of errors', patreon, PATREON + 'x,,,,soon,,\n'.repeat(12), /^line 4: .*\n.*\nand 2 more$/s],
];
for (const [what, platform, text, message] of WRONG) {
  test(`an export that is ${what} is refused completely`, () => {
    assert.throws(
      () => read(platform, text),
      (error: unknown) => error instanceof ExportError && message.test(error.message),
    );
  });
}

test.run();

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isWrittenIn, languageOf } from '../../../../scripts/steps/content/languages.ts';
import { findTextFault, isUnresolved } from '../../../../scripts/steps/content/text-faults.ts';

const test = suite('faults of texts');

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const windows1252 = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text, 'utf8'));
const shiftJis = (text: string) => new TextDecoder('shift_jis').decode(Buffer.from(text, 'utf8'));
const gbk = (text: string) => new TextDecoder('gbk').decode(Buffer.from(text, 'utf8'));

test('UTF-8 that was read as another encoding is found in every script', () => {
  for (const text of ['Château', 'Zürich', 'Привет', '星見雅', 'ホシミ', '미야비', '狐🦊']) {
    for (const read of [latin1, windows1252]) assert.is(findTextFault(read(text)), 'mojibake', read(text));
  }
  for (const read of [shiftJis, gbk])
    assert.match(findTextFault(read('ホシミ・ミヤビ')) ?? '', /mojibake|replacement/);
});

test('texts of many languages are not damaged', () => {
  for (const text of [
    ...['Château', 'Ça va ? Été « À bientôt »', 'Straße', 'Zażółć gęślą jaźń', 'Ñandú', 'ÀÉÎÕÜ', 'Ærø'],
    ...['Зима', 'Привет, Ёлка', 'Ελλάδα', 'สวัสดี', 'Tiếng Việt', '星見雅', 'ホシミ・ミヤビ', '미야비'],
    ...[
      'Mar. 7th',
      'Salt & Pepper',
      'A&B; C',
      '100 €',
      '“quoted” … – —',
      '½ × 2²',
      'Line\nTab\t',
      '繝 and 銇',
    ],
  ])
    assert.is(findTextFault(text), undefined, text);
});

test('replacement and control characters, entities, and texts of nothing are told apart', () => {
  assert.is(findTextFault('Ch\ufffdteau'), 'replacement');
  assert.is(findTextFault('Name\u0000'), 'control');
  assert.is(findTextFault('Name\r'), 'control');
  assert.is(findTextFault('Salt &amp; Pepper'), 'entity');
  assert.is(findTextFault('It&#39;s'), 'entity');
  for (const text of ['undefined', 'null', 'NaN', 'the [object Object]'])
    assert.is(findTextFault(text), 'unresolved');
  assert.is(findTextFault('Null'), undefined);
});

test('keys, hashes and templates are no names', () => {
  for (const name of [
    ...['Avatar_Female_Size02_Miyabi_Name', 'SpMax_base', 'EquipmentSuit_32900_name', '#TEXT_12'],
    ...['2178816269909174781', '-1234567', '0x1f3a9bc2', '{NICKNAME}', '%PLAYER%', 'item.sword.name'],
  ])
    assert.ok(isUnresolved(name), name);
  for (const name of [
    "Ch'en",
    'THRM-EX',
    '12F',
    'Mr. Smith',
    'Lancet-2',
    '9.99',
    '1999',
    'Deadbeef',
    'U.S.A.',
  ])
    assert.not.ok(isUnresolved(name), name);
});

test('the language of an attribute is at the end of its name', () => {
  assert.equal(languageOf('name_ja')?.base, 'name');
  assert.equal(languageOf('idol_names_ko')?.code, 'ko');
  assert.equal(languageOf('name_zh_tw')?.code, 'zh_tw');
  for (const name of ['name', 'name_ja_latn', 'stat_hp', 'ja', 'name_th'])
    assert.is(languageOf(name), undefined, name);
});

test('a text is in a script, in another, or has no letters', () => {
  const ja = languageOf('name_ja')?.scripts ?? [];
  assert.is(isWrittenIn('星見雅', ja), true);
  assert.is(isWrittenIn('W の日', ja), true);
  assert.is(isWrittenIn('Miyabi', ja), false);
  assert.is(isWrittenIn('미야비', ja), false);
  assert.is(isWrittenIn('007', ja), undefined);
  assert.is(isWrittenIn('ホシミ', languageOf('name_de')?.scripts ?? []), false);
});

test.run();

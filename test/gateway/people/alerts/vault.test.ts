import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readVault, Vault, VaultError } from '../../../../gateway/people/alerts/vault.ts';

const vaults = suite('a vault');
const OLD = randomBytes(32);
const NEW = randomBytes(32);
const SECRET = 'whsec_c2VjcmV0';

vaults('encrypts a secret differently each time, and decrypts it for its owner only', () => {
  const vault = new Vault([NEW]);
  const [one, other] = [vault.seal(SECRET, 'ann'), vault.seal(SECRET, 'ann')];
  assert.is.not(one, other);
  for (const sealed of [one, other]) {
    assert.not.ok(sealed.includes('c2VjcmV0') || sealed.includes(NEW.toString('base64')));
    assert.is(vault.open(sealed, 'ann'), SECRET);
    assert.throws(
      () => vault.open(sealed, 'ben'),
      (error: unknown) => error instanceof VaultError,
    );
  }
});

vaults('encrypts with its first key, and decrypts with all of them', () => {
  const sealed = new Vault([OLD]).seal(SECRET, 'ann');
  const both = new Vault([NEW, OLD]);
  assert.is(both.open(sealed, 'ann'), SECRET);
  assert.equal([both.isCurrent(sealed), both.isCurrent(both.seal(SECRET, 'ann'))], [false, true]);
  assert.throws(() => new Vault([NEW]).open(both.seal(SECRET, 'ann').replace(/.$/, ''), 'ann'), /damaged/);
});

vaults('names the key that is missing, and reveals neither keys nor secrets', () => {
  const sealed = new Vault([OLD]).seal(SECRET, 'ann');
  const id = sealed.split(':')[2] ?? '';
  for (const vault of [new Vault([]), new Vault([NEW])]) {
    try {
      vault.open(sealed, 'ann');
      assert.unreachable();
    } catch (error) {
      assert.instance(error, VaultError);
      const { message } = error as VaultError;
      assert.match(message, new RegExp(`with the key ${id}, which is missing; add .* GATEWAY_SECRET_KEYS`));
      assert.not.match(message, /whsec|\n/);
    }
  }
});

vaults('refuses a text in which any character was changed', () => {
  const vault = new Vault([NEW]);
  const sealed = vault.seal(SECRET, 'ann');
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    // The mark is what tells an encrypted secret from a plain one.
    if (at < 'sealed:1:'.length) assert.is(vault.open(changed, 'ann'), changed);
    else
      assert.throws(
        () => vault.open(changed, 'ann'),
        (error: unknown) => error instanceof VaultError,
      );
  }
});

vaults('without keys leaves secrets as they are, and reads plain ones with keys too', () => {
  const plain = new Vault([]);
  assert.equal([plain.isOn, plain.seal(SECRET, 'ann'), plain.isCurrent(SECRET)], [false, SECRET, true]);
  const vault = new Vault([NEW]);
  assert.equal([vault.isOn, vault.open(SECRET, 'ann'), vault.isCurrent(SECRET)], [true, SECRET, false]);
});

vaults('reads keys of 32 bytes as base64, separated by commas', () => {
  const [one, two] = [NEW.toString('base64'), OLD.toString('base64')];
  const sealed = new Vault([OLD]).seal(SECRET, 'ann');
  assert.is(readVault(`${one}, ${two}`)?.open(sealed, 'ann'), SECRET);
  assert.equal([readVault(undefined)?.isOn, readVault('')?.isOn], [false, false]);
  for (const wrong of ['x', `${one},`, one.slice(4), `${one}${two}`])
    assert.is(readVault(wrong), undefined, wrong);
});

vaults.run();

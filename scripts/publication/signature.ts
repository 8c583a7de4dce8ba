import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

/** What a public key in text form begins with. */
const PREFIX = 'ed25519:';
/** The bytes of an Ed25519 public key, after this head of its DER form (RFC 8410). */
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_BYTES = 32;

/** Makes a pair of Ed25519 keys. @returns the private key in PEM (PKCS #8), and the public key as `ed25519:<base64url>` */
export function createSigningKeys(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: publicKeyOf(privateKey),
  };
}

/** @returns a private key in PEM; undefined if the text is not an Ed25519 key */
export function readPrivateKey(text: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** @returns a public key from `ed25519:<base64url>`; undefined if the text is not one */
export function readPublicKey(text: string): KeyObject | undefined {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  if (!text.startsWith(PREFIX) || bytes.length !== PUBLIC_BYTES) return undefined;
  return createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, bytes]), format: 'der', type: 'spki' });
}

/** The public key of a private one, as `ed25519:<base64url>`. */
function publicKeyOf(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return PREFIX + der.subarray(PUBLIC_HEAD.length).toString('base64url');
}

/** @returns the signature of a text, in base64url */
export function signText(text: string, privateKey: KeyObject): string {
  return sign(null, Buffer.from(text), privateKey).toString('base64url');
}

/** Returns whether a signature of a text was made with the private key of a public one. */
export function isSignedBy(text: string, signature: string, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
}

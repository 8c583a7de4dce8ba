import type { Mail } from '../mail/mailer.ts';
import { LINK_MINUTES } from '../mail/one-time-link.ts';

const KNOWN = `This address has an account: the key is one more of it, and does not
change what the others may do.
`;
const UNKNOWN = `It opens a free account for this address.
`;

/**
 * The mail with a link.
 *
 * @param to as `readEmail` gives it
 * @param isKnown whether the address has an account
 */
export function linkMail(to: string, link: string, isKnown: boolean): Mail {
  return {
    to,
    subject: 'Your link to a Game Data Read API key',
    text: `Somebody, probably you, asked for a key to the Game Data Read API with
this address. This page shows it:

${link}

The link works once, within ${LINK_MINUTES} minutes.
${isKnown ? KNOWN : UNKNOWN}
If it was not you, there is nothing to do: without the link nothing
happens.
`,
  };
}

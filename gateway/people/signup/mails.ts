import type { Mail } from '../mail/mailer.ts';
import { LINK_MINUTES } from '../mail/one-time-link.ts';

const KNOWN = `This email address already has an account. The link adds a key to it;
your other keys keep working.
`;
const UNKNOWN = `It creates a free account for this email address.
`;

/**
 * Writes the mail with a link.
 *
 * @param to as returned by `readEmail`
 * @param isKnown whether the email address has an account
 */
export function linkMail(to: string, link: string, isKnown: boolean): Mail {
  return {
    to,
    subject: 'Your link to a Game Data Read API key',
    text: `Someone, probably you, requested a key to the Game Data Read API with
this email address. Open this link to get it:

${link}

The link works once, within ${LINK_MINUTES} minutes.
${isKnown ? KNOWN : UNKNOWN}
If it was not you, ignore this mail: nothing happens without the link.
`,
  };
}

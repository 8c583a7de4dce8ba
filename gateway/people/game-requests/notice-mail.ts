import { type Account, tierAt, TIERS } from '../../access/account.ts';
import type { Mail } from '../mail/mailer.ts';
import type { GameRequest } from './game-request.ts';

/**
 * Writes the mail to a supporter of a game that is now available.
 *
 * @param now milliseconds since 1970
 */
export function noticeMail({ name, game }: GameRequest, account: Account, now: number): Mail {
  const { delayHours } = TIERS[tierAt(account, now)];
  const delay =
    delayHours === 0
      ? ''
      : `\nWith a free key, a build becomes visible ${delayHours} hours after its release.\n`;
  return {
    to: account.email,
    subject: `${name} is available`,
    text: `You requested ${name} at the Game Data Read API. It is available now. Its
roster is at

    /api/${game}/characters
${delay}
--
You receive this mail once, because your account requested or supported this game.
`,
  };
}

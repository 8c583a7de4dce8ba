import { type Account, tierAt } from '../../plans/account.ts';
import { TIERS } from '../../plans/tiers.ts';
import type { Mail } from '../mail/mailer.ts';
import type { GameRequest } from './game-request.ts';

/**
 * The mail that tells somebody that a game is there.
 *
 * @param now milliseconds since 1970
 */
export function noticeMail({ name, game }: GameRequest, account: Account, now: number): Mail {
  const { delayHours } = TIERS[tierAt(account, now)];
  const when = delayHours === 0 ? '' : `\nA free key sees a build ${delayHours} hours after its release.\n`;
  return {
    to: account.email,
    subject: `${name} is here`,
    text: `You asked for ${name} at the Game Data Read API. It is here; its
roster is at

    /api/${game}/characters
${when}
--
You get this mail, once, because your account asked for this game.
`,
  };
}

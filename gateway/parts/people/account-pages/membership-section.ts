import { CLAIM } from '../membership/claim-pages.ts';
import { showTime } from '../web/describe-time.ts';
import { type Html, html } from '../web/html.ts';
import type { AccountState } from './account-state.ts';

/** Makes the section about the membership: until when the account is Pro, and how to become or stay it. */
export function membershipSection(state: AccountState): Html {
  const { hasClaims } = state;
  const claim = hasClaims
    ? html` If you have one under another email address, <a href="${CLAIM}">claim it</a>.`
    : undefined;
  return html`<h2 id="membership">Membership</h2>
<p>${describeTier(state)}${claim}</p>`;
}

function describeTier({ tier, session: { account }, joinLinks }: AccountState): Html {
  if (tier === 'pro') {
    return account.pro_until === null
      ? html`This account is Pro, without an end.`
      : html`This account is Pro until ${showTime(account.pro_until)}. A payment of the membership extends it.`;
  }
  const links = joinLinks.map(
    ({ name, address }, at) =>
      html`${at === 0 ? 'Join' : ' or'} <a href="${address}" rel="noreferrer">on ${name}</a>`,
  );
  return html`This account is free. Pro comes with a membership. ${links.length === 0 ? html`Ask the operator of this gateway where to get one` : links}.`;
}

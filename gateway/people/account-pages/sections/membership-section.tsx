import type { JSX } from 'preact';
import { CLAIM } from '../../membership/claim-pages.tsx';
import { Time } from '../../web/show-time.tsx';
import type { AccountState } from '../account-state.ts';

/** The section about the membership: until when the account is Pro, and how to become or stay it. */
export function MembershipSection({ state }: { state: AccountState }): JSX.Element {
  return (
    <>
      <h2 id="membership">Membership</h2>
      <p>
        <Tier {...state} />
        {state.hasClaims && (
          <>
            {' '}
            If you have one under another email address, <a href={CLAIM}>claim it</a>.
          </>
        )}
      </p>
    </>
  );
}

function Tier({ tier, session: { account }, joinLinks }: AccountState): JSX.Element {
  if (tier === 'pro')
    return account.pro_until === null ? (
      <>This account is Pro, with no end date.</>
    ) : (
      <>
        This account is Pro until <Time at={account.pro_until} />. A payment of the membership extends it.
      </>
    );
  const links = joinLinks.map(({ name, address }, at) => (
    <>
      {at === 0 ? 'Join' : ' or'}{' '}
      <a href={address} rel="noreferrer">
        on {name}
      </a>
    </>
  ));
  return (
    <>
      This account is free. Pro comes with a membership.{' '}
      {links.length === 0 ? 'Ask the operator of this gateway where to get one' : links}.
    </>
  );
}

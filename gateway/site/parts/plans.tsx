import type { JSX } from 'preact';
import { TERMS } from '../../http/about.ts';
import { TIERS } from '../../access/account.ts';
import type { ProOffer } from '../site-page.ts';

const SIGNUP = '/signup';

/** The free tier and Pro side by side, with a form for a key and where to join. */
export function Plans({ pro, hasSignup }: { pro: ProOffer; hasSignup: boolean }): JSX.Element {
  const { limits, delayHours } = TIERS.free;
  return (
    <section aria-labelledby="plans">
      <h2 id="plans">Free and Pro</h2>
      <div class="plans">
        <div class="card" id="key">
          <h3>Free</h3>
          <p class="price">$0</p>
          <ul>
            <li>All games, characters and datasets</li>
            <li>Filters, search, compare, CSV</li>
            {limits && (
              <li>
                {limits.minute} requests a minute, {limits.day} a day
              </li>
            )}
            <li>Builds {delayHours} hours after their release</li>
          </ul>
          {hasSignup ? <KeyForm /> : <p>Ask the operator of this gateway for a key.</p>}
        </div>
        <div class="card card-pro">
          <h3>Pro</h3>
          {pro.price !== undefined && <p class="price">{pro.price}</p>}
          <ul>
            <li>Everything in Free, without caps</li>
            <li>Builds from the minute they are released</li>
            <li>History: what each build changed, value by value</li>
            <li>Snapshots and diffs of any two builds</li>
            <li>Events of new builds as they arrive</li>
          </ul>
          <JoinLinks pro={pro} />
        </div>
      </div>
    </section>
  );
}

function KeyForm(): JSX.Element {
  return (
    <form class="key-form" method="post" action={SIGNUP}>
      <div class="field">
        <label for="email">Email address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          required
          maxLength={254}
          placeholder="ada@example.org"
        />
      </div>
      <button type="submit">Get a key</button>
      <p class="small muted">
        You get a link to your key by mail. The <a href={TERMS}>terms of use</a> apply.
      </p>
    </form>
  );
}

function JoinLinks({ pro: { links } }: { pro: ProOffer }): JSX.Element {
  if (links.length === 0) return <p>Ask the operator of this gateway for Pro.</p>;
  return (
    <p class="actions">
      {links.map(({ name, address }) => (
        <a key={address} class="button" href={address}>
          Join on {name}
        </a>
      ))}
    </p>
  );
}

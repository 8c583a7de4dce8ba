import type { ComponentChildren, JSX } from 'preact';
import { keysOf } from '../../../../scripts/format/dist-format.ts';
import {
  type ChannelName,
  CHATS,
  type ChatService,
  channelsOf,
  type Hook,
  type PostChannel,
} from '../../alerts/subscription.ts';
import { Time } from '../../web/show-time.tsx';
import type { AccountState } from '../account-state.ts';
import { FORMS } from '../addresses.ts';
import { Field, type Fields, SessionForm } from './session-form.tsx';

/** A card for each channel: what it is set to, and the forms that change, test and remove it. */
export function ChannelCards(props: {
  state: AccountState;
  /** What a refused form had. */
  typed: Fields;
}): JSX.Element {
  const { state, typed } = props;
  return (
    <div class="account-cards">
      <Card title="By mail">
        <Mail {...state} />
      </Card>
      <Card title="By webhook">
        <WebhookForms state={state} typed={typed} />
      </Card>
      {keysOf(CHATS).map((channel) => (
        <Card title={`In ${CHATS[channel].label}`}>
          <Chat channel={channel} state={state} typed={typed} />
        </Card>
      ))}
      <Card title="As a feed">
        <Feed {...state} />
      </Card>
    </div>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="panel">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Mail(state: AccountState): JSX.Element {
  const { session, subscription } = state;
  const [current, value, verb] = subscription.mail ? ['on', 'off', 'Turn off'] : ['off', 'on', 'Turn on'];
  return (
    <>
      <SessionForm session={session} action={FORMS.setMail}>
        <p>
          Mails to {session.account.email} are {current}.{' '}
          <button type="submit" name="mail" value={value}>
            {verb}
          </button>
        </p>
      </SessionForm>
      <TestForm channel="mail" state={state} />
    </>
  );
}

function WebhookForms({ state, typed }: { state: AccountState; typed: Fields }): JSX.Element {
  const { subscription, secrets } = state;
  const { webhook } = subscription.hooks;
  const label = 'Address that receives the events, https://…';
  const form = (
    <AddressForm channel="webhook" label={label} current={webhook?.shown} state={state} typed={typed} />
  );
  if (!webhook) return form;
  return (
    <>
      {form}
      <Disabled {...webhook} />
      <Secrets secrets={secrets} />
      <ChangeForm channel="webhook" state={state}>
        {webhook.disabled && ENABLE} <SecretButton secrets={secrets} /> {REMOVE}
      </ChangeForm>
      <TestForm channel="webhook" state={state} />
    </>
  );
}

function Chat(props: { channel: ChatService; state: AccountState; typed: Fields }): JSX.Element {
  const { channel, state, typed } = props;
  const hook = state.subscription.hooks[channel];
  const { label: name, begins } = CHATS[channel];
  const label = `Address of a webhook of ${name}, ${begins}…`;
  const form = (
    <AddressForm channel={channel} label={label} state={state} typed={typed} isSet={hook !== undefined} />
  );
  if (!hook) return form;
  return (
    <>
      {form}
      <Disabled {...hook} />
      <p>
        {name} gets a message for each event, at <code>{hook.shown}</code>
      </p>
      <ChangeForm channel={channel} state={state}>
        {hook.disabled && ENABLE} {REMOVE}
      </ChangeForm>
      <TestForm channel={channel} state={state} />
    </>
  );
}

const ENABLE = (
  <button type="submit" name="change" value="enable">
    Enable
  </button>
);
const REMOVE = (
  <button type="submit" name="change" value="remove">
    Remove
  </button>
);

function AddressForm(props: {
  channel: PostChannel;
  label: string;
  current?: string | undefined;
  isSet?: boolean;
  state: AccountState;
  typed: Fields;
}): JSX.Element {
  const { channel, label, current, isSet = current !== undefined, state, typed } = props;
  const id = channel === 'webhook' ? 'url' : `${channel}-url`;
  const isTyped = (typed.get('channel') ?? 'webhook') === channel;
  const value = (isTyped ? typed.get('url') : undefined) ?? current;
  return (
    <SessionForm session={state.session} action={FORMS.setWebhook}>
      <input type="hidden" name="channel" value={channel} />
      <Field label={label} type="url" id={id} name="url" value={value} maxlength={2048} required />
      <p>
        <button type="submit">{isSet ? 'Change' : 'Set'}</button>
      </p>
    </SessionForm>
  );
}

function ChangeForm(props: {
  channel: PostChannel;
  state: AccountState;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <SessionForm session={props.state.session} action={FORMS.changeWebhook}>
      <input type="hidden" name="channel" value={props.channel} />
      {props.children}
    </SessionForm>
  );
}

function TestForm({ channel, state }: { channel: ChannelName; state: AccountState }): JSX.Element | null {
  if (!channelsOf(state.subscription).includes(channel)) return null;
  return (
    <SessionForm session={state.session} action={FORMS.sendTest}>
      <button type="submit" class="quiet" name="channel" value={channel}>
        Send a test
      </button>
    </SessionForm>
  );
}

function Disabled({ disabled }: Pick<Hook, 'disabled'>): JSX.Element | null {
  if (!disabled) return null;
  return (
    <p>
      The webhook is disabled since <Time at={disabled.at} />: {disabled.reason}.
    </p>
  );
}

function SecretButton({ secrets }: Pick<AccountState, 'secrets'>): JSX.Element {
  const hasEarlier = secrets?.earlier !== undefined;
  return (
    <button type="submit" name="change" value={hasEarlier ? 'end-earlier' : 'secret'}>
      {hasEarlier ? 'End the earlier secret now' : 'New secret'}
    </button>
  );
}

function Secrets({ secrets }: Pick<AccountState, 'secrets'>): JSX.Element | null {
  if (secrets === undefined) return null;
  const { current, earlier } = secrets;
  return (
    <details>
      <summary>Secret that signs the events</summary>
      <p>
        <code>{current}</code>, used as{' '}
        <a href="https://www.standardwebhooks.com" rel="noreferrer">
          Standard Webhooks
        </a>{' '}
        describes.
      </p>
      {earlier && (
        <p>
          The earlier secret, <code>{earlier.secret}</code>, is valid until <Time at={earlier.until} />: each
          event is signed with both.
        </p>
      )}
    </details>
  );
}

function Feed({ session, subscription }: AccountState): JSX.Element {
  const renew = (label: string) => (
    <SessionForm session={session} action={FORMS.renewFeed}>
      <button type="submit">{label}</button>
    </SessionForm>
  );
  if (subscription.feed === null) return renew('Create a feed');
  return (
    <>
      <p>You have a feed. Anyone who knows its address can read it.</p>
      {renew('New address')}
      <SessionForm session={session} action={FORMS.removeFeed}>
        <button type="submit">Remove the feed</button>
      </SessionForm>
    </>
  );
}

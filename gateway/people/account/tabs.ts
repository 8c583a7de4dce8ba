// The tabs with read-only addresses, with game requests, and with sessions and the log of an account.
import { type AddressTerms, addressPath, describeTerms } from '../../access/account.ts';
import { hashOf } from '../../access/api-key.ts';
import { MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { toIso } from '../../store/accounts.ts';
import { describeEvent, KEEP_DAYS, MAX_ENTRIES, readLog, recordChange } from '../../store/audit.ts';
import { addressesOf, MAX_ADDRESSES, makeAddress, removeAddress } from '../../store/keys.ts';
import { checkAddressTerms, readAddressTerms } from '../read-address-terms.ts';
import * as requests from '../requests.ts';
import { endSession, endSessions, sessionId, sessionsOf, setCookie } from '../sessions.ts';
import { ACCOUNT } from '../sign-up.ts';
import { code, describeTime, type Page, redirectPage, secretPage, showTime, submit } from '../web.ts';
import { type AccountPage, buttonForm, fieldsForm, postForm, scrollable, type Visit } from './visit.ts';

const ADDRESSES = '/account/addresses';
const MAKE = '/account/links/make';
const REVOKE = '/account/links/revoke';

const ADDRESS_FIELDS = [
  {
    id: 'link_target',
    label: html`The query, as <code>/api/genshin-impact/characters.csv?element=Pyro</code>, or only the game, as
      <code>genshin-impact</code>`,
    more: { maxlength: 2100, required: true },
  },
  { id: 'link_name', label: 'What it is for, if you want to note it', more: { maxlength: MAX_NAME_CHARS } },
] as const;

export const addressesTab: AccountPage = {
  path: ADDRESSES,
  label: 'Addresses',
  async show(visit) {
    const addresses = await addressesOf(visit.store, visit.account.id);
    const rows = addresses.map(({ prefix, name, created_at, address }) => {
      const revoke = { name: 'prefix', value: prefix, label: 'Revoke', about: prefix };
      return html`<tr><td><code>${prefix}…</code>${name !== undefined && html`<br>${name}`}</td>
        <td>${address && describeTerms(address)}</td><td>${showTime(created_at)}</td>
        <td>${buttonForm(REVOKE, revoke)}</td></tr>`;
    });
    const full = html`<p>An account may have ${MAX_ADDRESSES} of them. Revoke one to make another.</p>`;
    const make = fieldsForm(visit, MAKE, { fields: ADDRESS_FIELDS, button: 'New read-only address' });
    return html`<h2 id="links">Read-only addresses</h2>
      <p>For tools that can send no header, such as a spreadsheet: an address that serves one query, or all lists of one
      game, to everyone who knows it. What is read counts on the limits of this account.</p>
      ${scrollable('Read-only addresses', ['Address', 'What it serves', 'Created', ''], rows)}
      ${rows.length < MAX_ADDRESSES ? make : full}`;
  },
  forms: {
    async [MAKE]({ typed, services, store, account, tier, actor }) {
      const { log, publicUrl, follower } = services;
      const terms = readAddressTerms(typed('link_target'));
      await checkAddressTerms(terms, follower.catalog.viewAt(services.now(), tier), services);
      const name = readKeyName(typed('link_name'));
      const wanted = { address: terms, name };
      const made = await store.transaction((sql) => makeAddress(sql, account.id, wanted, actor));
      if (!made)
        throw new InputError(`the account has ${MAX_ADDRESSES} read-only addresses: revoke one first`);
      log.info('a read-only address was made on the account page', { address: made.record.prefix });
      return newAddressPage(publicUrl() + addressPath(made.token, terms), terms);
    },
    async [REVOKE]({ typed, services, store, account, actor }) {
      const prefix = typed('prefix');
      const revoked = await store.transaction((sql) => removeAddress(sql, prefix, account.id, actor));
      if (!revoked) throw new InputError('that is not a read-only address of this account');
      services.log.info('a read-only address was revoked on the account page', { address: prefix });
    },
  },
};

/** Shows a new address once, with what to paste into spreadsheets. */
function newAddressPage(address: string, { game, query }: AddressTerms): Page {
  const powerQuery = `let
  Source = Csv.Document(Web.Contents("${address}"), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
  Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true])
in
  Rows`;
  const rest = html`<p>Anyone who knows it can read what it serves. It works immediately, until you revoke it.</p>
    ${
      query === undefined &&
      html`<p>This is the roster as CSV. The address works with every list of ${game}, and with parameters: replace
      what follows <code>/${game}/</code>.</p>`
    }
    <h2>Google Sheets</h2>${code(`=IMPORTDATA("${address}")`)}
    <h2>Excel and Power BI</h2><p>Get data, From other sources, Blank query, Advanced editor:</p>${code(powerQuery)}`;
  return secretPage('Your new read-only address', address, rest, ADDRESSES);
}

const ASK = '/account/requests/ask';
const SUPPORT = '/account/requests/support';
const WITHDRAW = '/account/requests/withdraw';

const REQUEST_FIELDS = [
  { id: 'name', label: 'Name of the game', more: { maxlength: requests.MAX_TITLE_CHARS, required: true } },
  {
    id: 'link',
    label: 'Its page in an app store, https://…',
    type: 'url',
    more: { maxlength: requests.MAX_LINK_CHARS, required: true },
  },
] as const;

const seenBy = ({ services: { follower, now }, tier }: Visit) => follower.catalog.viewAt(now(), tier).games;
const supporterOf = (visit: Visit) => ({ account: visit.account.id, seen: seenBy(visit) });

export const requestsTab: AccountPage = {
  path: '/account/requests',
  label: 'Game requests',
  async show(visit) {
    const { store, account } = visit;
    const seen = seenBy(visit);
    const all = (await requests.listRequests(store, account.id)).map((each) => requests.asSeen(each, seen));
    const rows = all
      .filter((each) => requests.isWaiting(each) || each.isOwn)
      .map((request) => {
        const { id, name, link, status, note, game, supporters, isOwn } = request;
        const vote = { name: 'id', value: id, label: isOwn ? 'Withdraw' : 'Support', about: name };
        return html`<tr><td>${name}<br><a href="${link}" rel="nofollow noreferrer">${new URL(link).hostname}</a></td>
          <td>${status}${status === 'done' && html`: <code>${game}</code>`}${note !== null && html`<br>${note}`}</td>
          <td>${supporters}</td>
          <td>${requests.isWaiting(request) && buttonForm(isOwn ? WITHDRAW : SUPPORT, vote)}</td></tr>`;
      });
    return html`<h2 id="requests">Game requests</h2>
      <p>Yours come first, then those with a Pro supporter, with more supporters, and the older ones. When a game is
      available, the supporters of its request get a mail.</p>
      ${scrollable('Game requests', ['Game', 'Status', 'Votes', ''], rows, html`<p>There are no open requests.</p>`)}
      ${fieldsForm(visit, ASK, { fields: REQUEST_FIELDS, button: 'Request the game' })}`;
  },
  forms: {
    async [ASK](visit) {
      const typed = { name: visit.typed('name'), link: visit.typed('link') };
      await requests.addRequest(visit.store, supporterOf(visit), typed);
    },
    async [SUPPORT](visit) {
      await requests.supportRequest(visit.store, visit.typed('id'), supporterOf(visit));
    },
    [WITHDRAW]: (visit) => requests.withdrawSupport(visit.store, visit.typed('id'), visit.account.id),
  },
};

export const LEAVE = '/account/leave';
const END = '/account/sessions/end';
/** Ends all sessions when it is sent instead of the id of one. */
const ALL = 'all';

export const securityTab: AccountPage = {
  path: '/account/security',
  label: 'Security',
  async show(visit) {
    const current = sessionId(hashOf(visit.session.token));
    const sessions = await sessionsOf(visit.store, visit.account.id);
    const rows = sessions.map(({ hash, network, browser, ...row }) => {
      const [id, created_at] = [sessionId(hash), toIso(row.created_at)];
      const about = `the session of ${describeTime(created_at)}`;
      const end = { name: 'id', value: id, label: 'End', about };
      return html`<tr><td>${showTime(created_at)}</td><td>${network}</td><td>${browser}</td>
        <td>${id === current ? 'this one' : buttonForm(END, end)}</td></tr>`;
    });
    const events = (await readLog(visit.store, visit.account.id)).map(
      (event) =>
        html`<tr><td>${showTime(event.at)}</td><td>${describeEvent(event)}</td><td>${event.network}</td></tr>`,
    );
    return html`<h2 id="sessions">Sessions</h2>
      <p>Where this account is signed in. A session ends by itself after an hour.</p>
      ${scrollable('Sessions', ['Begun', 'Network', 'Browser', ''], rows)}
      ${postForm(END, submit('End all sessions, this one too', html` class="quiet" name="id" value="${ALL}"`))}
      <h2 id="events">What happened</h2>
      <p>The events of this account in the last ${KEEP_DAYS} days, at most ${MAX_ENTRIES}. Keys that are made or revoked,
      new read-only addresses, sign-ins from new networks and a webhook that is disabled are also mailed to you.</p>
      ${scrollable('What happened', ['Time', 'What', 'Network'], events, html`<p>Nothing yet.</p>`)}
      <h2 id="delete">Delete</h2><p><a href="/account/delete">Delete the account</a></p>`;
  },
  forms: {
    async [LEAVE]({ session: { token }, account, actor, store, services }) {
      await store.transaction(async (sql) => {
        await endSession(sql, token);
        await recordChange(sql, { account: account.id, event: 'session.ended', actor });
      });
      return redirectPage(ACCOUNT, setCookie(services.publicUrl(), undefined));
    },
    async [END]({ account, store, typed, actor }) {
      const id = typed('id');
      await store.transaction(async (sql) => {
        if (!(await endSessions(sql, account.id, id === ALL ? undefined : id)))
          throw new InputError('that session has ended already');
        const event = id === ALL ? 'sessions.ended' : 'session.ended';
        await recordChange(sql, { account: account.id, event, actor });
      });
    },
  },
};

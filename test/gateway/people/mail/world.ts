import type { SMTPServerOptions } from 'smtp-server';
import { BadAttempts } from '../../../../gateway/access/attempts.ts';
import { type ClientAddress, type Endpoint, readTrustedProxies } from '../../../../gateway/http/incoming.ts';
import type { Mailer } from '../../../../gateway/people/mail/mailer.ts';
import { createSmtpMailer } from '../../../../gateway/people/mail/smtp-mailer.ts';
import { type EndpointParts, NOON, startGateway, type TestGateway } from '../../../support/harness.ts';
import { SAMPLE_GAMES } from '../../../support/sample-games.ts';
import { type Place, sqlitePlace } from '../../store/engines.ts';
import { type RefuseRecipient, startSmtp, type TestSmtp } from './smtp-server.ts';

/** A gateway that sends mails, and its mail server. */
export interface MailWorld {
  gateway: TestGateway;
  smtp: TestSmtp;
  place: Place;
  stop(): Promise<void>;
}

/** Options of a `MailWorld`. */
export interface MailWorldOptions {
  makePlace?: () => Place | Promise<Place>;
  /** Which recipients the mail server refuses. */
  refuseRecipient?: RefuseRecipient;
  /** Further options of the mail server. */
  smtpOptions?: SMTPServerOptions;
  /** How long sending a mail may take. */
  mailTimeoutMs?: number;
}

/** What endpoints that send mails need. */
type MailParts = EndpointParts & {
  mailer: Mailer;
  clientAddress: ClientAddress;
  publicUrl: () => string;
  badAttempts: BadAttempts;
};

/** The public URL of the gateway, which differs from the address that it listens on. */
export const PUBLIC_URL = 'https://api.example.org';

/** Starts a gateway that sends mails and trusts one proxy. */
export async function startMailWorld(
  makeEndpoints: (parts: MailParts) => Endpoint[],
  { makePlace = sqlitePlace, refuseRecipient, smtpOptions, mailTimeoutMs }: MailWorldOptions = {},
): Promise<MailWorld> {
  const place = await makePlace();
  const smtp = await startSmtp(refuseRecipient, smtpOptions);
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>', mailTimeoutMs);
  const { clientAddress } = readTrustedProxies('1');
  let now = () => NOON;
  const gateway = await startGateway(SAMPLE_GAMES, {
    openStore: () => place.open({ now: () => now() }),
    endpoints: (parts) =>
      makeEndpoints({
        ...parts,
        mailer,
        clientAddress,
        publicUrl: () => PUBLIC_URL,
        badAttempts: new BadAttempts(),
      }),
  });
  now = () => gateway.clock.now;
  return {
    gateway,
    smtp,
    place,
    async stop() {
      await gateway.stop();
      await smtp.stop();
      await place.remove();
    },
  };
}

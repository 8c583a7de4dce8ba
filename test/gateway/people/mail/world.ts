import type { SMTPServerOptions } from 'smtp-server';
import { readTrustedProxies } from '../../../../gateway/http/client-address.ts';
import type { Endpoint } from '../../../../gateway/http/endpoint.ts';
import type { Mailer } from '../../../../gateway/people/mail/mailer.ts';
import { createSmtpMailer } from '../../../../gateway/people/mail/smtp-mailer.ts';
import { type EndpointParts, NOON, startGateway, type TestGateway } from '../../../support/harness.ts';
import { SAMPLE_GAMES } from '../../../support/sample-games.ts';
import { lmdbPlace, type StorePlace } from '../../store/places.ts';
import { type Answering, startSmtp, type TestSmtp } from './smtp-server.ts';

/** A gateway that sends mails, with the mail server that it uses and a clock of its own. */
export interface MailWorld {
  gateway: TestGateway;
  smtp: TestSmtp;
  place: StorePlace;
  stop(): Promise<void>;
}

/** How a `MailWorld` is made. */
export interface MailWorldOptions {
  makePlace?: () => Promise<StorePlace>;
  /** How the mail server answers to addresses. */
  answering?: Answering;
  /** What else the mail server does in its own way. */
  smtpOptions?: SMTPServerOptions;
  /** How long a mail may take, in ms. */
  longest?: number;
}

/** What endpoints that send mails are made of. */
type MailParts = EndpointParts & {
  mailer: Mailer;
  clientAddress: ReturnType<typeof readTrustedProxies>;
  publicUrl: () => string;
};

/** How people reach it; not where it listens. */
export const PUBLIC_URL = 'https://api.example.org';

/** Starts a gateway that sends mails and believes one proxy. */
export async function startMailWorld(
  makeEndpoints: (parts: MailParts) => Endpoint[],
  { makePlace = lmdbPlace, answering, smtpOptions, longest }: MailWorldOptions = {},
): Promise<MailWorld> {
  const place = await makePlace();
  const smtp = await startSmtp(answering, smtpOptions);
  const mailer = createSmtpMailer(smtp.url, 'Game Data <keys@example.org>', longest);
  const clientAddress = readTrustedProxies('1');
  let now = () => NOON;
  const gateway = await startGateway(SAMPLE_GAMES, {
    openStore: () => place.open(() => now()),
    endpoints: (parts) => makeEndpoints({ ...parts, mailer, clientAddress, publicUrl: () => PUBLIC_URL }),
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

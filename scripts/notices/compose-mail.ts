import type { SendMailOptions } from 'nodemailer';

/** A mail to one person, in plain text. */
export interface Mail {
  /** An email address without a name. */
  to: string;
  subject: string;
  text: string;
}

/** Converts a mail to nodemailer's options. Its headers ask receivers not to reply automatically (RFC 3834). */
export function composeMail({ to, subject, text }: Mail, from: string): SendMailOptions {
  return {
    from,
    // nodemailer splits a string into several addresses, but not an object.
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

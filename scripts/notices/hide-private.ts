/** Returns a message on one line, without email addresses, links and passwords: a server may quote them. The time is linear in the length. */
export function hidePrivate(message: string): string {
  const isPrivate = (word: string) => word.includes('@') || word.includes('://');
  return message.replace(/[^\s<>]+/g, (word) => (isPrivate(word) ? '…' : word)).replace(/\s+/g, ' ');
}

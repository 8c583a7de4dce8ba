/**
 * Bytes of an answer. In a text every character is a byte (latin1): a page that lives for one answer only costs less as a text than as a
 * buffer, whose memory is asked of the system and given back.
 */
export type Bytes = Buffer | string;

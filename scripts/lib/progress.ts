/** Tells people how far a command is: one line that changes on a terminal, plain lines elsewhere. */
export interface Progress {
  /** What is being done now; shown on a terminal only. */
  step(text: string): void;
  /** What is done; stays. */
  done(text: string): void;
  /** Takes the changing line away. */
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[K';

/** @param stream where progress goes; not where results go, so that these can be piped */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  const clear = () => {
    if (stream.isTTY) stream.write(CLEAR_LINE);
  };
  return {
    step(text) {
      if (stream.isTTY) stream.write(`${CLEAR_LINE}${text.slice(0, (stream.columns || 80) - 1)}`);
    },
    done(text) {
      clear();
      stream.write(`${text}\n`);
    },
    clear,
  };
}

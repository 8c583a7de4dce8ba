/** Shows the progress of a command: one changing line on a terminal, plain lines elsewhere. */
export interface Progress {
  /** Shows the current step, on a terminal only. */
  step(text: string): void;
  /** Writes a line that stays. */
  done(text: string): void;
  /** Removes the changing line. */
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[K';

/** @param stream for progress; results go to another stream, so that they can be piped */
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

/** Returns a function that loads something when it is first called: it returns a promise until that is loaded, then the thing itself, so that only the first use waits. */
export function lazy<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loading: Promise<T> | undefined;
  let loaded: { value: T } | undefined;
  return () => {
    if (loaded !== undefined) return loaded.value;
    loading ??= load().then((value) => {
      loaded = { value };
      return value;
    });
    return loading;
  };
}

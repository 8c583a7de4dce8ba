/** Marks pictures that cannot be loaded, now and later, so that what is drawn beneath is seen. */
export function hideFailedPictures(document: Document): void {
  const mark = (image: HTMLImageElement) => image.classList.add('failed');
  for (const image of document.images) if (image.complete && image.naturalWidth === 0) mark(image);
  // Events of pictures do not bubble.
  document.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLImageElement) mark(target);
    },
    { capture: true },
  );
}

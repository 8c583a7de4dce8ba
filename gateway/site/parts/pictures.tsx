import type { JSX } from 'preact';
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { GameBuild } from '../../data/game-build.ts';
import type { ListModel } from '../game-data.ts';
import { valueAt } from '../model/facets.ts';
import { labelOf } from '../model/format-value.ts';
import { allowedPicture } from '../model/picture.ts';

const SIZE = 160;
/** Where the terms say how to report a picture. */
const REPORT = '/terms#pictures';

/** All pictures of a record that may be shown, each with its name. */
export function Pictures({
  game,
  model: { known, tile },
  record,
}: {
  game: GameBuild;
  model: ListModel;
  record: JsonObject;
}): JSX.Element | null {
  const hosts = tile.picture?.hosts ?? [];
  const shown = [...known.values()].flatMap((attribute) => {
    const picture =
      attribute.kind === 'image' ? allowedPicture(valueAt(record, attribute.key), hosts) : undefined;
    return picture === undefined ? [] : [{ picture, label: labelOf(attribute) }];
  });
  if (shown.length === 0) return null;
  return (
    <section class="record-section" id="pictures">
      <h2>Pictures</h2>
      <ul class="pictures">
        {shown.map(({ picture, label }) => (
          <li key={picture}>
            <img
              src={picture}
              alt={label}
              width={SIZE}
              height={SIZE}
              loading="lazy"
              referrerpolicy="no-referrer"
            />
            <span class="small muted">{label}</span>
          </li>
        ))}
      </ul>
      <PictureCredit game={game} model={{ tile }} />
    </section>
  );
}

/** Whose the pictures of a page are, and how to report one; nothing if it has none. */
export function PictureCredit({
  game: { images, title },
  model: { tile },
}: {
  game: Pick<GameBuild, 'images' | 'title'>;
  model: Pick<ListModel, 'tile'>;
}): JSX.Element | null {
  if (tile.picture === undefined) return null;
  return (
    <p class="small muted picture-credit">
      Pictures: {images ? <a href={images.terms}>{images.credit}</a> : `the publisher of ${title}`}, from{' '}
      {tile.picture.hosts.join(', ')}. <a href={REPORT}>Report a picture</a>
    </p>
  );
}

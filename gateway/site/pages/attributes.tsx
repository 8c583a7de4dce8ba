import { attributesOfRoster } from '../../attributes/attributes-of.ts';
import { AttributeTable } from '../parts/attribute-table.tsx';
import { GameHead } from '../parts/game-head.tsx';
import { gameOf, type SitePage } from '../site-page.ts';

/** The attribute dictionary of a game's characters. */
export const attributesPage: SitePage = {
  path: '/games/:game/attributes',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  make(visit) {
    const game = gameOf(visit);
    return {
      title: `Attributes of ${game.title}`,
      description: `What the data of ${game.title} says about a character: each attribute with its meaning, range and values.`,
      path: `/games/${game.slug}/attributes`,
      width: 'wide',
      body: (
        <>
          <GameHead
            view={visit.view}
            game={game}
            current="attributes"
            heading={`Attributes of ${game.title}`}
          />
          <p>
            What a character has, how many have it, and what the values are like. Each key is a filter:{' '}
            <code>key=value</code>.
          </p>
          <AttributeTable attributes={attributesOfRoster(game)} list={game.roster} />
        </>
      ),
    };
  },
};

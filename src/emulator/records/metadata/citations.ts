import { type Item, isItem, items, textOf } from './values.ts';

interface Work {
  /** Family and given name; an organization has no given name. */
  readonly authors: readonly (readonly [family: string, given: string])[];
  readonly title: string;
  readonly publisher: string;
  readonly year: string;
  readonly doi: string;
  readonly kind: string;
}

/** The styles of citations; the service knows all of the Citation Style Language. */
const STYLES: Readonly<Record<string, (work: Work) => string>> = {
  apa: ({ authors, title, publisher, year, doi, kind }) => {
    const names = authors.map(([family, given]) =>
      given === '' ? family : `${family}, ${initials(given)}`,
    );
    const by = `${listed(names, ', &amp; ')}(${year || 'n.d.'})`;
    return `${by}. <i>${title}</i>${kind}. ${publisher}. https://doi.org/${doi}`;
  },
  ieee: ({ authors, title, publisher, year, doi }) => {
    const names = authors.map(([family, given]) =>
      given === '' ? family : `${initials(given)} ${family}`,
    );
    const by = listed(names, names.length > 2 ? ', and ' : ' and ').trimEnd();
    return `${by}${by === '' ? '' : ', '}“${title}.” ${publisher}, ${year}. doi: ${doi}.`;
  },
  vancouver: ({ authors, title, publisher, year, doi }) => {
    const short = (given: string) => initials(given).replaceAll(/[. ]/g, '');
    const names = authors.map(([family, given]) =>
      given === '' ? family : `${family} ${short(given)}`,
    );
    const by = names.length > 6 ? `${names.slice(0, 6).join(', ')}, et al` : names.join(', ');
    const work = `${title}. ${publisher}; ${year}. Available from: https://doi.org/${doi}`;
    return `${by}${by === '' ? '' : '. '}${work}`;
  },
};

const KINDS: Readonly<Record<string, string>> = {
  Dataset: ' [Data set]',
  Software: ' [Computer software]',
};

/** A citation as HTML. An unknown style produces APA, as on the service. */
export function citation(a: Item, style: string): string {
  const { publisher } = a;
  const types = isItem(a['types']) ? a['types'] : {};
  const general = types['resourceTypeGeneral'];
  const work: Work = {
    authors: items(a['creators']).map(({ familyName, givenName, name }) => {
      const [family = '', given = ''] = textOf(name).split(', ');
      return [textOf(familyName) || family, textOf(givenName) || given];
    }),
    title: textOf(items(a['titles'])[0]?.['title']),
    publisher: textOf(isItem(publisher) ? publisher['name'] : publisher),
    year: textOf(a['publicationYear']),
    doi: textOf(a['doi']).toUpperCase(),
    kind: KINDS[String(general)] ?? '',
  };
  const written = STYLES[style] ?? STYLES['apa'];
  return written?.(work) ?? '';
}

function initials(given: string): string {
  const names = given.split(/[\s-]+/).filter((name) => name !== '');
  return names.map((name) => `${[...name][0]}.`).join(' ');
}

/** Names with a word before the last one and a space after them; empty without names. */
function listed(names: readonly string[], last: string): string {
  const final = names.at(-1);
  if (final === undefined) return '';
  return names.length === 1 ? `${final} ` : `${names.slice(0, -1).join(', ')}${last}${final} `;
}

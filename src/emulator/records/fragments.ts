import type { Client } from './clients.ts';
import { pick, stream } from './hash.ts';
import {
  FAMILY_NAMES,
  GIVEN_NAMES,
  LANGUAGES,
  type Language,
  ORGANISATIONS,
} from './vocabulary.ts';

/**
 * A fragment as plain text and as an object, for `affiliation=true` or `publisher=true`.
 */
export interface Spellings {
  readonly plain: Buffer;
  readonly full: Buffer;
}

/** Pieces of JSON text as bytes, written once at start. A record is some of them, joined. */
export interface Fragments {
  /** By language: insides of JSON strings, without the quotes. */
  readonly sentences: readonly (readonly Buffer[])[];
  readonly titles: readonly (readonly { readonly text: string; readonly json: Buffer }[])[];
  readonly subjects: readonly Buffer[];
  readonly creators: readonly Spellings[];
  readonly contributors: readonly Spellings[];
  readonly rights: readonly Buffer[];
  readonly fundings: readonly Buffer[];
  readonly places: readonly Buffer[];
  /** Names of clients, by client id. */
  readonly publishers: ReadonlyMap<string, Spellings>;
}

type Seeded = Omit<Fragments, 'publishers'>;

/** The fragments of the last seed: making them takes 20 ms, and tests start many emulators. */
let last: { readonly seed: number; readonly fragments: Seeded } | undefined;

export function buildFragments(seed: number, clients: readonly Client[]): Fragments {
  if (last?.seed !== seed) last = { seed, fragments: ofSeed(seed) };
  const publishers = clients.map(
    ({ id, name }) => [id, { plain: json(name), full: json({ name }) }] as const,
  );
  return { ...last.fragments, publishers: new Map(publishers) };
}

function ofSeed(seed: number): Seeded {
  const draw = stream(seed ^ 0xf7a6);
  const list = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const contributor = () => ({ contributorType: pick(CONTRIBUTOR_TYPES, draw()) });
  return {
    sentences: LANGUAGES.map((language) =>
      list(96, () => inside(sentence(language, draw, 8 + draw() * 18))),
    ),
    titles: LANGUAGES.map((language) => list(96, () => titlePair(title(language, draw)))),
    subjects: LANGUAGES.flatMap((language) => list(24, () => subject(language, draw))),
    creators: list(400, () => person(draw, {})),
    contributors: list(60, () => person(draw, contributor())),
    rights: RIGHTS.map(json),
    fundings: list(40, () => funding(draw)),
    places: list(60, () => place(draw)),
  };
}

/**
 * The JSON text of a value in the spelling of the service, which writes `<`, `>` and `&` as \u
 * escapes. A client that does not alter records must keep them.
 */
function jsonText(value: unknown): string {
  const spelled = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`;
  return JSON.stringify(value).replaceAll(/[<>&]/g, spelled);
}

function json(value: unknown): Buffer {
  return Buffer.from(jsonText(value));
}

/** The text of a JSON string without its quotes. */
function inside(text: string): Buffer {
  return Buffer.from(jsonText(text).slice(1, -1));
}

function titlePair(text: string): { text: string; json: Buffer } {
  return { text, json: inside(text) };
}

function sentence(language: Language, draw: () => number, words: number): string {
  const chosen = Array.from({ length: Math.floor(words) }, () => pick(language.words, draw()));
  const text = chosen.join(language.space);
  const end = draw() < 0.12 ? `${language.stop}\n` : language.stop;
  return text.charAt(0).toLocaleUpperCase('en') + text.slice(1) + end + language.space;
}

function title(language: Language, draw: () => number): string {
  return sentence(language, draw, 4 + draw() * 9)
    .trim()
    .slice(0, -1);
}

function subject(language: Language, draw: () => number): Buffer {
  const text = `${pick(language.words, draw())}${language.space}${pick(language.words, draw())}`;
  if (draw() < 0.7) return json({ subject: text });
  return json({
    subject: `FOS: ${text}`,
    schemeUri: 'http://www.oecd.org/science/inno/38235147.pdf',
    subjectScheme: 'Fields of Science and Technology (FOS)',
  });
}

/** An ORCID iD with a check character, like a real one (ISO/IEC 7064 MOD 11-2). */
function checked(orcid: string): string {
  const digits = [...orcid.replaceAll('-', '')].slice(0, -1);
  const rest = digits.reduce((sum, digit) => ((sum + Number(digit)) * 2) % 11, 0);
  return orcid.slice(0, -1) + '10X98765432'[rest];
}

function person(draw: () => number, extra: object): Spellings {
  const familyName = pick(FAMILY_NAMES, draw());
  const givenName = pick(GIVEN_NAMES, draw());
  const four = () => 1000 + Math.floor(draw() * 9000);
  const orcid = `0000-000${Math.floor(draw() * 4)}-${four()}-${four()}`;
  const nameIdentifiers =
    draw() < 0.5
      ? []
      : [
          {
            schemeUri: 'https://orcid.org',
            nameIdentifier: `https://orcid.org/${checked(orcid)}`,
            nameIdentifierScheme: 'ORCID',
          },
        ];
  const organisation = draw() < 0.45 ? pick(ORGANISATIONS, draw()) : undefined;
  const personWith = (affiliation: readonly unknown[]) => {
    const base = {
      name: `${familyName}, ${givenName}`,
      nameType: 'Personal',
      givenName,
      familyName,
    };
    return json({ ...base, affiliation, ...extra, nameIdentifiers });
  };
  if (organisation === undefined) return { plain: personWith([]), full: personWith([]) };
  const [name, ror] = organisation;
  const affiliation = {
    name,
    schemeUri: 'https://ror.org',
    affiliationIdentifier: `https://ror.org/${ror}`,
    affiliationIdentifierScheme: 'ROR',
  };
  return { plain: personWith([name]), full: personWith([affiliation]) };
}

function funding(draw: () => number): Buffer {
  return json({
    awardUri: `https://cordis.europa.eu/project/id/${100_000 + Math.floor(draw() * 900_000)}`,
    awardTitle: title(LANGUAGES[0] ?? fail(), draw),
    funderName: 'European Commission',
    awardNumber: String(100_000 + Math.floor(draw() * 900_000)),
    funderIdentifier: 'https://doi.org/10.13039/501100000780',
    funderIdentifierType: 'Crossref Funder ID',
  });
}

/** A place with numbers that parsing and printing would change, such as `12.50` and `1.0e-05`. */
function place(draw: () => number): Buffer {
  const sign = draw() < 0.5 ? '-' : '';
  const latitude = `${sign}${Math.floor(draw() * 90)}.${Math.floor(draw() * 90) + 10}0`;
  const longitude = draw() < 0.1 ? '1.0e-05' : `${Math.floor(draw() * 180)}.0`;
  const name = title(pick(LANGUAGES, draw()), draw);
  const point = `{"pointLatitude":${latitude},"pointLongitude":${longitude}}`;
  return Buffer.from(`{"geoLocationPlace":${jsonText(name)},"geoLocationPoint":${point}}`);
}

function fail(): never {
  throw new RangeError('the vocabulary has no language');
}

const CONTRIBUTOR_TYPES = ['Researcher', 'DataCurator', 'HostingInstitution'];

const SPDX = { schemeUri: 'https://spdx.org/licenses/', rightsIdentifierScheme: 'SPDX' };

const RIGHTS = [
  {
    rights: 'Creative Commons Attribution 4.0 International',
    rightsUri: 'https://creativecommons.org/licenses/by/4.0/legalcode',
    ...SPDX,
    rightsIdentifier: 'cc-by-4.0',
  },
  {
    rights: 'Creative Commons Zero v1.0 Universal',
    rightsUri: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode',
    ...SPDX,
    rightsIdentifier: 'cc0-1.0',
  },
  { rights: 'Open Access', rightsUri: 'info:eu-repo/semantics/openAccess' },
];

import type { Fragments } from './fragments.ts';
import { fraction, pick } from './hash.ts';
import type { Slot } from './pattern.ts';
import { LANGUAGES } from './vocabulary.ts';

/** The parameters of GET /dois and GET /dois/{doi} that decide how records are written. */
export interface View {
  /** Members of `attributes` and `relationships` to keep; undefined keeps all. */
  readonly fields?: ReadonlySet<string> | undefined;
  readonly detail: boolean;
  /** Affiliations as objects instead of strings. */
  readonly affiliation: boolean;
  /** The publisher as an object instead of a string. */
  readonly publisher: boolean;
  /** The registration agency, which is only included on request. */
  readonly agency?: boolean;
  /** A single record, which includes its media; a list does not. */
  readonly single?: boolean;
  /** The results of link checks, which only the repository and its member see. */
  readonly landingPage?: boolean;
}

/** The values from which a generated record is made. */
export interface Source {
  readonly doi: string;
  readonly slot: Slot;
  /** The seed of everything that does not come from the record's slot. */
  readonly hash: number;
  /** How much metadata the record has: mostly little, sometimes very much. */
  readonly wealth: number;
  readonly created: string;
  readonly updated: string;
  readonly registered: string | undefined;
  readonly year: number;
  readonly fragments: Fragments;
}

/** A number in [0, 1) that depends on the record and on a salt; each purpose has its own salt. */
export function chance(s: Source, salt: number): number {
  return fraction(s.hash, salt);
}

/** At least 1.35, with a long tail. */
export function wealthOf(hash: number): number {
  return Math.min(15, 1.35 / (1 - fraction(hash, 40)) ** 0.62);
}

const LANGUAGE_OF_HUNDRED = LANGUAGES.flatMap((language, n) =>
  Array.from({ length: language.weight }, () => n),
);

/** An index into the list of languages. */
export function languageOf(s: Pick<Source, 'hash'>): number {
  return pick(LANGUAGE_OF_HUNDRED, fraction(s.hash, 41));
}

/**
 * The title's text and its number. The number makes titles unique, so that a sort by title has one
 * order.
 */
export function titleOf(s: Pick<Source, 'hash' | 'fragments'>): {
  title: { readonly text: string; readonly json: Buffer };
  number: number;
} {
  const title = pick(s.fragments.titles[languageOf(s)] ?? [], fraction(s.hash, 4));
  return { title, number: s.hash % 100_000 };
}

/**
 * View, download and citation counts, which sorts and `detail` also read; most records have no
 * counts.
 */
export const COUNTS = {
  views: (hash: number) => rare(fraction(hash, 26), 5000),
  downloads: (hash: number) => rare(fraction(hash, 27), 3000),
  citations: (hash: number) => rare(fraction(hash, 28), 400),
};

function rare(draw: number, most: number): number {
  const cube = draw * draw * draw;
  return Math.floor(cube * cube * cube * most);
}

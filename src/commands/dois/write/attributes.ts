import { usageError } from '../../../errors.ts';
import type { Creator } from './creator.ts';

/** The options that say what a record holds. */
export interface AttributeOptions {
  readonly doi?: string;
  readonly prefix?: string;
  readonly title?: readonly string[];
  readonly creator?: readonly Creator[];
  readonly publisher?: string;
  readonly year?: number;
  readonly type?: string;
  readonly url?: string;
  readonly description?: readonly string[];
  readonly subject?: readonly string[];
}

/** The attributes that the options say; undefined where there are none of them. */
export function attributesOf(options: AttributeOptions): Record<string, unknown> | undefined {
  const { doi, prefix, title, creator, publisher, year, type, url, description, subject } = options;
  const attributes = {
    doi,
    prefix,
    creators: creator,
    titles: title?.map((text) => ({ title: text })),
    publisher: publisher === undefined ? undefined : { name: publisher },
    publicationYear: year,
    types: type === undefined ? undefined : { resourceTypeGeneral: type },
    subjects: subject?.map((text) => ({ subject: text })),
    descriptions: description?.map((text) => ({ description: text, descriptionType: 'Abstract' })),
    url,
  };
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/**
 * @throws {CliError} kind `usage` where a DOI is given and a prefix that it is not below.
 */
export function refuseBoth({ doi, prefix }: AttributeOptions): void {
  if (doi === undefined || prefix === undefined) return;
  throw usageError('--doi and --prefix exclude each other', 'with --prefix the service makes a suffix');
}

// The tables of records, for exports and counts: their rows, and how each column is read. To add a
// column, add a line here, and its value to the row of test/metadata/tables.test.ts; docs/export.md
// lists the columns.
import { listOf, valueAt } from '../../text/json-values.ts';
import {
  type Column,
  date,
  dayOf,
  int32,
  items,
  orcidOf,
  type Row,
  rorOf,
  spdxOf,
  text,
  texts,
  timestamp,
} from './values.ts';

/** Increased with every change of a column; files contain it. */
export const TABLES_VERSION = 2;

export interface Table {
  readonly about: string;
  /** The rows of a record, from its attributes. */
  rows(record: Row): readonly Row[];
  readonly columns: Readonly<Record<string, Column>>;
}

const attribute = (record: Row, name: string) => valueAt(record, ['attributes', name]);

/**
 * A table with a row for each item of a list.
 * @param item the name of an item in a row. @param plain the member that may replace an item.
 */
function listTable(
  about: string,
  list: string,
  item: string,
  plain: string,
  columns: Table['columns'],
): Table {
  return {
    about,
    rows: (record) =>
      items(attribute(record, list), plain).map((entry, index) => ({
        doi: record['id'],
        position: index + 1,
        [item]: entry,
      })),
    columns: { doi: DOI, position: POSITION, ...columns },
  };
}

const DOI = text('doi', 'the DOI');
const POSITION = int32('position', 'the place in the list of the record, from 1');

const dois: Table = {
  about: 'a DOI',
  rows: (record) => [record],
  columns: {
    doi: text('id', 'the DOI'),
    prefix: text(
      ({ id }) => (typeof id === 'string' ? id.split('/')[0] : undefined),
      'the prefix of the DOI',
    ),
    url: text('attributes.url', 'where the DOI leads'),
    state: text('attributes.state', '`findable`, `registered` or `draft`'),
    client: text('relationships.client.data.id', 'the repository account'),
    provider: text(
      'relationships.provider.data.id',
      'the member; only in a copy of `--detail`, and in records of the data file',
    ),
    year: int32('attributes.publicationYear', 'the year of publication'),
    issued: date(
      ({ attributes }) => dayOf(valueAt(attributes, ['dates']), 'Issued'),
      'the first date of the type `Issued` that is a whole day',
    ),
    type: text('attributes.types.resourceTypeGeneral', 'the general type, such as `Dataset`'),
    resource_type: text('attributes.types.resourceType', 'the type in words of the repository'),
    title: text('attributes.titles.0.title', 'the first title'),
    publisher: text(({ attributes }) => {
      const publisher = valueAt(attributes, ['publisher']);
      return valueAt(publisher, ['name']) ?? publisher;
    }, 'the name of the publisher'),
    publisher_ror: text(({ attributes }) => {
      const publisher = valueAt(attributes, ['publisher']);
      return rorOf(
        valueAt(publisher, ['publisherIdentifier']),
        valueAt(publisher, ['publisherIdentifierScheme']),
      );
    }, 'its ROR id; empty in a copy with names'),
    language: text('attributes.language', 'the language, as the record spells it'),
    license: text(
      ({ attributes }) =>
        listOf(valueAt(attributes, ['rightsList']))
          .map(spdxOf)
          .find(Boolean),
      'the first license of the SPDX list, in lower case',
    ),
    version: text('attributes.version', 'the version of the work'),
    sizes: texts('attributes.sizes', 'its sizes, as text'),
    formats: texts('attributes.formats', 'its formats, as text'),
    created: timestamp('attributes.created', 'when the DOI was created'),
    registered: timestamp('attributes.registered', 'when it was registered; null for a draft'),
    updated: timestamp('attributes.updated', 'when the record was last changed'),
    creator_count: int32(({ attributes }) => {
      const creators = valueAt(attributes, ['creators']);
      return creators === undefined || creators === null ? undefined : listOf(creators).length;
    }, 'how many creators'),
    citation_count: int32('attributes.citationCount', 'how many citations the service knows'),
    reference_count: int32('attributes.referenceCount', 'how many references'),
    view_count: int32('attributes.viewCount', 'how many views were reported'),
    download_count: int32('attributes.downloadCount', 'how many downloads were reported'),
    source: text('attributes.source', 'how the record came to the service'),
    schema_version: text(
      ({ attributes }) =>
        String(valueAt(attributes, ['schemaVersion']) ?? '').replace(/^.*\/kernel-/, ''),
      'the version of the metadata schema, such as `4`',
    ),
    metadata_version: int32('attributes.metadataVersion', 'how often the metadata was changed'),
  },
};

const creators: Table = {
  about: 'a creator and an affiliation; a creator without one has one row',
  rows: (record) =>
    items(attribute(record, 'creators'), 'name').flatMap((creator, index) => {
      const affiliations = items(valueAt(creator, ['affiliation']), 'name');
      return (affiliations.length === 0 ? [undefined] : affiliations).map((affiliation) => ({
        doi: record['id'],
        position: index + 1,
        creator,
        affiliation,
      }));
    }),
  columns: {
    doi: DOI,
    position: int32('position', 'the place among the creators, from 1'),
    name: text('creator.name', 'the name'),
    name_type: text('creator.nameType', '`Personal` or `Organizational`'),
    given_name: text('creator.givenName', 'the given name'),
    family_name: text('creator.familyName', 'the family name'),
    orcid: text(({ creator }) => orcidOf(creator), 'the ORCID iD, such as `0000-0002-1825-0097`'),
    affiliation: text('affiliation.name', 'the name of the affiliation'),
    ror: text(
      ({ affiliation }) =>
        rorOf(
          valueAt(affiliation, ['affiliationIdentifier']),
          valueAt(affiliation, ['affiliationIdentifierScheme']),
        ),
      'its ROR id, such as `05dxps055`; empty in a copy with names',
    ),
  },
};

/** All tables, by the name of their folder in an export. */
export const TABLES = {
  dois,
  creators,
  subjects: listTable('a subject', 'subjects', 'subject', 'subject', {
    subject: text('subject.subject', 'the subject'),
    scheme: text('subject.subjectScheme', 'the vocabulary'),
    scheme_uri: text('subject.schemeUri', 'its address'),
    value_uri: text('subject.valueUri', 'the address of the subject in it'),
    code: text('subject.classificationCode', 'its code'),
    language: text('subject.lang', 'the language'),
  }),
  related: listTable('a related identifier', 'relatedIdentifiers', 'related', 'relatedIdentifier', {
    relation: text('related.relationType', 'how the DOI is related to it, such as `Cites`'),
    identifier: text('related.relatedIdentifier', 'the identifier, as the record spells it'),
    identifier_type: text('related.relatedIdentifierType', 'its type, such as `DOI`'),
    type: text('related.resourceTypeGeneral', 'the general type of what it identifies'),
  }),
  funding: listTable('a funding reference', 'fundingReferences', 'funding', 'funderName', {
    funder: text('funding.funderName', 'the name of the funder'),
    funder_id: text('funding.funderIdentifier', 'its identifier, as the record spells it'),
    funder_id_type: text('funding.funderIdentifierType', 'the type of that'),
    ror: text(
      ({ funding }) => rorOf(valueAt(funding, ['funderIdentifier'])),
      'its ROR id, where it is one',
    ),
    award: text('funding.awardNumber', 'the number of the award'),
    award_title: text('funding.awardTitle', 'its title'),
    award_uri: text('funding.awardUri', 'its address'),
  }),
  licenses: listTable('a statement of rights', 'rightsList', 'rights', 'rights', {
    license: text(({ rights }) => spdxOf(rights), 'the license in the SPDX list, in lower case'),
    rights: text('rights.rights', 'the statement in words'),
    rights_uri: text('rights.rightsUri', 'its address'),
  }),
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;

// The tables of records, for exports and counts: their rows, and how each column is read. To add a
// column, add a line here, and its value to the row of test/metadata/tables.test.ts;
// docs/columns.md lists the columns.
import { isObject, listOf, valueAt } from '../../text/json-values.ts';
import { DOI, listTable, peopleTable, relatedDoi, type Table } from './kinds.ts';
import {
  date,
  dayOf,
  double,
  int32,
  items,
  rorOf,
  spdxOf,
  text,
  texts,
  timestamp,
  wholeDay,
} from './values.ts';

/** Increased with every change of a column; files contain it. */
export const TABLES_VERSION = 3;

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
    provider: text('relationships.provider.data.id', 'the member; only in a copy of `--detail`'),
    year: int32('attributes.publicationYear', 'the year of publication'),
    issued: date(
      ({ attributes }) => dayOf(valueAt(attributes, ['dates']), 'Issued'),
      'the first date of the type `Issued` that is a whole day',
    ),
    type: text('attributes.types.resourceTypeGeneral', 'the general type, such as `Dataset`'),
    resource_type: text('attributes.types.resourceType', 'the type in words of the repository'),
    title: text('attributes.titles.0.title', 'the first title'),
    creators: texts(
      ({ attributes }) =>
        items(valueAt(attributes, ['creators']), 'name').map((each) => valueAt(each, ['name'])),
      'the names of the creators',
    ),
    publisher: text(({ attributes }) => {
      const publisher = valueAt(attributes, ['publisher']);
      return isObject(publisher) ? publisher['name'] : publisher;
    }, 'the name of the publisher'),
    publisher_ror: text(({ attributes }) => {
      const publisher = valueAt(attributes, ['publisher']);
      return rorOf(
        valueAt(publisher, ['publisherIdentifier']),
        valueAt(publisher, ['publisherIdentifierScheme']),
      );
    }, 'its ROR id; empty in a copy with names'),
    publisher_id: text(
      'attributes.publisher.publisherIdentifier',
      'its identifier, as the record spells it',
    ),
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
    content_urls: texts('attributes.contentUrl', 'where its files are'),
    created: timestamp('attributes.created', 'when the DOI was created'),
    registered: timestamp('attributes.registered', 'when it was registered; null for a draft'),
    updated: timestamp('attributes.updated', 'when the record was last changed'),
    creator_count: int32(({ attributes }) => {
      const creators = valueAt(attributes, ['creators']);
      return creators === undefined || creators === null
        ? undefined
        : items(creators, 'name').length;
    }, 'how many creators'),
    citation_count: int32('attributes.citationCount', 'how many citations the service knows'),
    reference_count: int32('attributes.referenceCount', 'how many references'),
    view_count: int32('attributes.viewCount', 'how many views were reported'),
    download_count: int32('attributes.downloadCount', 'how many downloads were reported'),
    part_count: int32('attributes.partCount', 'how many parts'),
    part_of_count: int32('attributes.partOfCount', 'of how many works it is a part'),
    version_count: int32('attributes.versionCount', 'how many versions'),
    version_of_count: int32('attributes.versionOfCount', 'of how many works it is a version'),
    source: text('attributes.source', 'how the record came to the service'),
    schema_version: text(({ attributes }) => {
      const version = valueAt(attributes, ['schemaVersion']);
      return typeof version === 'string' ? version.replace(/^.*\/kernel-/, '') : version;
    }, 'the version of the metadata schema, such as `4`'),
    metadata_version: int32('attributes.metadataVersion', 'how often the metadata was changed'),
  },
};

const RELATED = 'related.relatedIdentifier';
const ITEM = 'item.relatedItemIdentifier';
const POINT = 'place.geoLocationPoint';
const BOX = 'place.geoLocationBox';

/** All tables, by the name of their folder in an export. */
export const TABLES = {
  dois,
  titles: listTable('a title', 'titles', 'title', 'title', {
    title: text('title.title', 'the title'),
    type: text('title.titleType', 'its type, such as `Subtitle`; null for a main title'),
    language: text('title.lang', 'the language'),
  }),
  descriptions: listTable('a description', 'descriptions', 'description', 'description', {
    description: text('description.description', 'the text'),
    type: text('description.descriptionType', 'its type, such as `Abstract`'),
    language: text('description.lang', 'the language'),
  }),
  creators: peopleTable('a creator', 'creators'),
  contributors: peopleTable('a contributor', 'contributors', {
    type: text('person.contributorType', 'the role, such as `DataCurator`'),
  }),
  dates: listTable('a date', 'dates', 'date', 'date', {
    date: text('date.date', 'the date, as the record spells it'),
    type: text('date.dateType', 'its type, such as `Issued`'),
    day: date((row) => wholeDay(valueAt(row, ['date', 'date'])), 'the same, if it is a whole day'),
    information: text('date.dateInformation', 'what the date means'),
  }),
  identifiers: listTable('another identifier', 'identifiers', 'identifier', 'identifier', {
    identifier: text('identifier.identifier', 'the identifier, as the record spells it'),
    type: text('identifier.identifierType', 'its type'),
  }),
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
    identifier: text(RELATED, 'the identifier, as the record spells it'),
    identifier_type: text(`${RELATED}Type`, 'its type, such as `DOI`'),
    related_doi: relatedDoi(RELATED, `${RELATED}Type`),
    type: text('related.resourceTypeGeneral', 'the general type of what it identifies'),
    metadata_scheme: text('related.relatedMetadataScheme', 'the scheme of related metadata'),
    scheme_uri: text('related.schemeUri', 'its address'),
    scheme_type: text('related.schemeType', 'its type, such as `XSD`'),
  }),
  related_items: listTable('a related item', 'relatedItems', 'item', 'titles', {
    relation: text('item.relationType', 'how the DOI is related to it, such as `IsPublishedIn`'),
    type: text('item.relatedItemType', 'its general type, such as `Journal`'),
    title: text('item.titles.0.title', 'its first title'),
    identifier: text(`${ITEM}.relatedItemIdentifier`, 'its identifier, as the record spells it'),
    identifier_type: text(`${ITEM}.relatedItemIdentifierType`, 'its type, such as `ISSN`'),
    related_doi: relatedDoi(`${ITEM}.relatedItemIdentifier`, `${ITEM}.relatedItemIdentifierType`),
    year: int32('item.publicationYear', 'the year of publication'),
    volume: text('item.volume', 'the volume'),
    issue: text('item.issue', 'the issue'),
    number: text('item.number', 'its number'),
    number_type: text('item.numberType', 'the kind of number, such as `Chapter`'),
    first_page: text('item.firstPage', 'the first page'),
    last_page: text('item.lastPage', 'the last page'),
    publisher: text('item.publisher', 'the publisher'),
    edition: text('item.edition', 'the edition'),
    item: text('item', 'the whole item, as JSON: also its people and other titles'),
  }),
  containers: listTable(
    'a container: what the DOI appeared in',
    'container',
    'container',
    'title',
    {
      type: text('container.type', 'its type, such as `Journal`'),
      title: text('container.title', 'its title'),
      identifier: text('container.identifier', 'its identifier, as the record spells it'),
      identifier_type: text('container.identifierType', 'its type, such as `ISSN`'),
      related_doi: relatedDoi('container.identifier', 'container.identifierType'),
      volume: text('container.volume', 'the volume'),
      issue: text('container.issue', 'the issue'),
      first_page: text('container.firstPage', 'the first page'),
      last_page: text('container.lastPage', 'the last page'),
    },
  ),
  geo_locations: listTable('a place', 'geoLocations', 'place', 'geoLocationPlace', {
    place: text('place.geoLocationPlace', 'the name of the place'),
    latitude: double(`${POINT}.pointLatitude`, 'the latitude of a point'),
    longitude: double(`${POINT}.pointLongitude`, 'its longitude'),
    west: double(`${BOX}.westBoundLongitude`, 'the least longitude of a box'),
    east: double(`${BOX}.eastBoundLongitude`, 'its greatest longitude'),
    south: double(`${BOX}.southBoundLatitude`, 'its least latitude'),
    north: double(`${BOX}.northBoundLatitude`, 'its greatest latitude'),
    polygon: text('place.geoLocationPolygon', 'a polygon, as JSON'),
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
    rights_id: text('rights.rightsIdentifier', 'its identifier, as the record spells it'),
    scheme: text('rights.rightsIdentifierScheme', 'the list with the identifier, such as `SPDX`'),
    scheme_uri: text('rights.schemeUri', 'its address'),
    language: text('rights.lang', 'the language'),
  }),
} as const satisfies Readonly<Record<string, Table>>;

/** Whole records, which an export writes on request. */
const records: Table = {
  about: 'a DOI',
  rows: (record, line) => [{ doi: record['id'], record: line?.toString() }],
  columns: { doi: DOI, record: text('record', 'the record as the service sent it, as JSON') },
};

/** Surplus DOIs of a copy. */
const removed: Table = {
  about: 'a DOI of the other tables that is no longer part of the query',
  rows: (row) => [row],
  columns: { doi: DOI, found: timestamp('found', 'when `verify` first missed it') },
};

/** All tables that an export can write. */
export const EXPORTED = { ...TABLES, records, removed };
export type TableName = keyof typeof EXPORTED;

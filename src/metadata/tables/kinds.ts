// The kinds of tables, and columns that several tables have.
import { listOf, valueAt } from '../../text/json-values.ts';
import {
  doiOf,
  int32,
  items,
  orcidOf,
  type Row,
  rorOf,
  type TableColumn,
  text,
  texts,
} from './values.ts';

export interface Table {
  readonly about: string;
  /** The rows of a record, from its attributes or from its line. */
  rows(record: Row, line?: Buffer): readonly Row[];
  readonly columns: Readonly<Record<string, TableColumn>>;
}

const attribute = (record: Row, name: string) => valueAt(record, ['attributes', name]);

/**
 * A table with a row for each item of a list.
 * @param item the name of an item in a row. @param plain the member that may replace an item.
 */
export function listTable(
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

export const DOI = text('doi', 'the DOI');
const POSITION = int32('position', 'the place in the list of the record, from 1');

/** A table with a row for each person or organization of a list, and for each affiliation. */
export function peopleTable(about: string, list: string, more: Table['columns'] = {}): Table {
  const places = `the place among the ${list}, from 1`;
  return {
    about: `${about} and an affiliation; a ${about.split(' ')[1]} without one has one row`,
    rows: (record) =>
      items(attribute(record, list), 'name').flatMap((person, index) => {
        const affiliations = items(valueAt(person, ['affiliation']), 'name');
        return (affiliations.length === 0 ? [undefined] : affiliations).map((affiliation) => ({
          doi: record['id'],
          position: index + 1,
          person,
          affiliation,
        }));
      }),
    columns: { doi: DOI, position: int32('position', places), ...more, ...PERSON },
  };
}

const PERSON: Table['columns'] = {
  name: text('person.name', 'the name'),
  name_type: text('person.nameType', '`Personal` or `Organizational`'),
  given_name: text('person.givenName', 'the given name'),
  family_name: text('person.familyName', 'the family name'),
  orcid: text(({ person }) => orcidOf(person), 'the ORCID iD, such as `0000-0002-1825-0097`'),
  identifiers: texts(
    ({ person }) =>
      listOf(valueAt(person, ['nameIdentifiers'])).map((id) => valueAt(id, ['nameIdentifier'])),
    'all identifiers of the name, as the record spells them',
  ),
  schemes: texts(
    ({ person }) =>
      listOf(valueAt(person, ['nameIdentifiers'])).map((id) =>
        valueAt(id, ['nameIdentifierScheme']),
      ),
    'the schemes of these identifiers',
  ),
  affiliation: text('affiliation.name', 'the name of the affiliation'),
  ror: text(
    ({ affiliation }) =>
      rorOf(
        valueAt(affiliation, ['affiliationIdentifier']),
        valueAt(affiliation, ['affiliationIdentifierScheme']),
      ),
    'its ROR id, such as `05dxps055`; empty in a copy with names',
  ),
  affiliation_id: text(
    'affiliation.affiliationIdentifier',
    'its identifier, as the record spells it',
  ),
  affiliation_scheme: text('affiliation.affiliationIdentifierScheme', 'the scheme of that'),
};

/** A column with the DOI of a related work, to join it with other tables. */
export const relatedDoi = (id: string, type: string) =>
  text(
    (row) => doiOf(valueAt(row, id.split('.')), valueAt(row, type.split('.'))),
    'the same as a bare DOI in lower case, where it is one',
  );

/**
 * The attributes of a record that may be published: everything the schema requires, and its URL.
 */
export const COMPLETE_RECORD = {
  titles: [{ title: 'A test' }],
  creators: [{ name: 'Doe, Jane' }],
  publisher: 'Demo',
  publicationYear: 2026,
  types: { resourceTypeGeneral: 'Dataset' },
  url: 'https://example.org/1',
};

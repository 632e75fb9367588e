/** A Draft with a title. */
export const draft = (suffix: string, title: string, more: object = {}) => ({
  doi: `10.5072/${suffix}`,
  titles: [{ title }],
  ...more,
});

/** A record that may be published. */
export const whole = (suffix: string, title: string, more: object = {}) => ({
  ...draft(suffix, title),
  creators: [{ name: 'Doe, Jane' }],
  publisher: { name: 'Demo' },
  publicationYear: 2026,
  types: { resourceTypeGeneral: 'Dataset' },
  url: `https://example.org/${suffix}`,
  ...more,
});

/** DataCite XML of a record that may be published. */
export const xml = (
  suffix: string,
  title: string,
  more = '',
) => `<?xml version="1.0" encoding="UTF-8"?>
<resource xmlns="http://datacite.org/schema/kernel-4">
  <identifier identifierType="DOI">10.5072/${suffix}</identifier>
  <creators><creator><creatorName>Doe, Jane</creatorName></creator></creators>
  <titles><title>${title}</title></titles>
  <publisher>Demo</publisher>
  <publicationYear>2026</publicationYear>
  <resourceType resourceTypeGeneral="Dataset">Data</resourceType>${more}
</resource>
`;

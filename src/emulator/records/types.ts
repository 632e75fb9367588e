/** One kind of resource, with its names in other citation formats. */
export interface TypeOfResource {
  readonly general: string;
  /** The spelling of the `resource-type-id` filter and the facet. */
  readonly id: string;
  /** The `types` member, as JSON text in bytes. */
  readonly json: Buffer;
}

/** A slot picks one at random, so a common type is listed several times. */
export const TYPES: readonly TypeOfResource[] = [
  ...many(12, make('Dataset', 'DATA', 'misc', 'dataset', 'Dataset', '')),
  ...many(
    6,
    make('Text', 'RPRT', 'article', 'article-journal', 'ScholarlyArticle', 'Taxonomic treatment'),
  ),
  ...many(
    4,
    make(
      'JournalArticle',
      'JOUR',
      'article',
      'article-journal',
      'ScholarlyArticle',
      'Journal article',
    ),
  ),
  ...many(3, make('Image', 'FIGURE', 'misc', 'graphic', 'ImageObject', 'Photo')),
  ...many(2, make('PhysicalObject', 'GEN', 'misc', 'article', 'Thing', 'Specimen')),
  ...many(2, make('Collection', 'GEN', 'misc', 'article', 'Collection', '')),
  ...many(2, make('Software', 'COMP', 'misc', 'software', 'SoftwareSourceCode', '')),
  make('Other', 'GEN', 'misc', 'article', 'CreativeWork', 'Poster'),
  make('Audiovisual', 'MPCT', 'misc', 'motion_picture', 'MediaObject', 'Video'),
];

/** `PhysicalObject` → `physical-object`, as the service's filter spells it. */
export function resourceTypeId(general: string): string {
  return general.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

function make(
  general: string,
  ris: string,
  bibtex: string,
  citeproc: string,
  schemaOrg: string,
  freeText: string,
): TypeOfResource {
  const resourceType = freeText === '' ? {} : { resourceType: freeText };
  const types = { ris, bibtex, citeproc, schemaOrg, ...resourceType, resourceTypeGeneral: general };
  return { general, id: resourceTypeId(general), json: Buffer.from(JSON.stringify(types)) };
}

function many<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

/** A repository account that owns generated records. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly providerId: string;
  readonly providerName: string;
  readonly prefixes: readonly string[];
  /** The text between `10.NNNN/` and the encoded record number in the client's DOIs. */
  readonly suffix: string;
  /** How the record number is written. Both ways have a fixed width, so texts sort as numbers. */
  readonly numbering: 'decimal' | 'base36';
  readonly landing: string;
  /** Share of the generated records. */
  readonly weight: number;
}

/** The prefix that every repository account of the emulator may use, as on the test system. */
export const SHARED_PREFIX = '10.5072';

/**
 * The prefix that belongs to only one repository account: `10.8` and four digits made from its id.
 * New DOIs have prefixes of at most five digits (service.md, W10).
 */
export function ownPrefix(accountId: string): string {
  let sum = 0;
  for (const character of accountId.toLowerCase())
    sum = (sum * 31 + character.charCodeAt(0)) % 10_000;
  return `10.8${String(sum).padStart(4, '0')}`;
}

/**
 * The repositories of the generated records: first the owner (an account of this emulator), then
 * real names, so that filters tried here also work on the real service.
 */
export function clients(ownerId: string): readonly Client[] {
  const owner = make(ownerId, 'Demonstration Repository', 'Demonstration Member', [
    SHARED_PREFIX,
    'demo-',
    'base36',
    2,
  ]);
  const others = OTHERS.map((row) => make(...row)).filter(({ id }) => id !== ownerId);
  return [{ ...owner, prefixes: [SHARED_PREFIX, ownPrefix(ownerId)] }, ...others];
}

type Row = readonly [
  id: string,
  name: string,
  providerName: string,
  rest: readonly [prefix: string, suffix: string, numbering: Client['numbering'], weight: number],
];

const OTHERS: readonly Row[] = [
  ['cern.zenodo', 'Zenodo', 'CERN', ['10.5281', 'zenodo.', 'decimal', 26]],
  [
    'figshare.ars',
    'figshare Academic Research System',
    'figshare',
    ['10.6084', 'm9.figshare.', 'decimal', 18],
  ],
  ['ethz.seals', 'E-Periodica', 'ETH Zurich', ['10.5169', 'seals-', 'decimal', 9]],
  [
    'ccdc.csd',
    'The Cambridge Structural Database',
    'CCDC',
    ['10.5517', 'ccdc.csd.cc', 'base36', 9],
  ],
  [
    'gbif.gbif',
    'Global Biodiversity Information Facility',
    'GBIF',
    ['10.15468', 'dl.', 'base36', 8],
  ],
  ['tib.pangaea', 'PANGAEA', 'TIB', ['10.1594', 'pangaea.', 'decimal', 7]],
  ['caltech.library', 'CaltechDATA', 'Caltech', ['10.22002', 'd1.', 'decimal', 4]],
  ['caltech.hte', 'High Throughput Experimentation', 'Caltech', ['10.25989', 'hte.', 'base36', 1]],
  ['dryad.dryad', 'Dryad', 'Dryad', ['10.5061', 'dryad.', 'base36', 5]],
  [
    'cos.osf',
    'Open Science Framework',
    'Center for Open Science',
    ['10.17605', 'osf.io/', 'base36', 5],
  ],
  ['gdcc.harvard-dv', 'Harvard Dataverse', 'GDCC', ['10.7910', 'dvn/', 'base36', 4]],
  // Some old DOIs contain characters that must be percent-encoded in an address.
  [
    'gesis.die',
    'Deutsches Institut für Erwachsenenbildung',
    'GESIS',
    ['10.3278', '(a)7;b:', 'decimal', 2],
  ],
];

function make(...[id, name, providerName, [prefix, suffix, numbering, weight]]: Row): Client {
  const landing = `https://${id.split('.').reverse().join('.')}.example.org/records/`;
  const providerId = id.split('.')[0] ?? id;
  return {
    id,
    name,
    providerId,
    providerName,
    prefixes: [prefix],
    suffix,
    numbering,
    landing,
    weight,
  };
}

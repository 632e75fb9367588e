import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkRecord, findingText } from '../../src/metadata/check.ts';

/**
 * The official examples of kernels 4.0 to 4.7 (datacite/schema, source/meta/kernel-4* and
 * source/json/kernel-4*, at 471512c) as attributes of the REST API: XML converted, long texts cut,
 * equal ones joined, a `url` added.
 */
interface Example {
  /** The files that say the same. */
  readonly examples: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

const examples = readFileSync('test/fixtures/examples/kernel-4.ndjson', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Example);

/**
 * What is odd in examples, all of it taken or dropped by the service. Everything else is a false
 * warning.
 */
const ODD = [
  /^warning: \S+schemeUri: "(SomeNameSchemeURI|SubjectSchemeURI|dataCuratorNameSchemeURI|curatorsIDSchemeURI)"/,
  /^warning: \S+(valueUri: "SubjectValueURI"|awardUri: "some URI") is not a URI/,
  /^warning: dates\[\d\]\.date: "(321 BCE|Yesterday)" is not a date/,
  /^warning: descriptions\[3\]\.description: "" must not be empty/,
  /^warning: geoLocations\[\d\]\.geoLocationPolygon: is not closed/,
  /^warning: \S+: "https:\/\/ror\.org\/12abcde34" is not a ROR id/,
  /^warning: \S+: "https:\/\/orcid\.org\/https:\/\/orcid\.org\/0009-0009-0223-2917" is not an ORCID/,
  /^warning: \S+: "0000000134596520" is not an ISNI/,
  /^warning: \S+: "http:\/\/doi\.org\/http:\/\/doi\.org\/10\.13039\/501100000780" is not a Crossref/,
  // The examples of JSON write affiliations as texts, and the DOI among the identifiers.
  /^warning: \S+affiliation(\[0\])?: ".+" is text, which the service would drop; sent as \{"name": …\}$/,
  /^warning: the service would drop this: identifiers\[0\]: is of type DOI/,
];

describe('the official examples', () => {
  it('are of each kernel, in XML and JSON', () => {
    const files = examples.flatMap((one) => one.examples);
    expect(files).toHaveLength(180);
    expect(new Set(files).size).toBe(180);
    const kernels = ['4', '4.0', '4.1', '4.2', '4.3', '4.4', '4.5', '4.6', '4.7'];
    expect([...new Set(files.map((file) => file.replace(/\/.*/, '')))].sort()).toEqual(
      kernels.map((kernel) => `kernel-${kernel}`),
    );
  });
  it.each(examples.map((one) => [one.examples.join(' '), one.attributes] as const))(
    '%s has no error',
    (_, attributes) => {
      const found = checkRecord(attributes, 'findable').map(findingText);
      expect(found.filter((text) => !ODD.some((odd) => odd.test(text)))).toEqual([]);
    },
  );
});

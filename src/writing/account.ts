import { type Organization, ownRepository } from '../api/repositories.ts';
import type { Service } from '../api/service.ts';
import type { State } from '../api/states.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import { type Finding, findingAt, withLines } from '../metadata/findings.ts';
import { isNonEmptyString, type JsonObject } from '../text/json-values.ts';
import { reportFindings } from './findings.ts';

/**
 * Finds what the service refuses for a repository account: a foreign prefix (service.md, W8), and
 * a foreign domain in a registered record (service.md, F15).
 * @param prefix of a new record without a DOI; undefined for a record that already exists.
 */
export function accountFindings(
  { doi, url }: JsonObject,
  state: State,
  account: Organization | undefined,
  prefix?: string,
): readonly Finding[] {
  if (account === undefined) return [];
  const { prefixes = [], domains, id } = account;
  const findings: Finding[] = [];
  const doiPrefix = isNonEmptyString(doi) ? doi.split('/')[0] : prefix;
  if (prefix !== undefined && doiPrefix && prefixes.length > 0 && !prefixes.includes(doiPrefix)) {
    const [name, what] = isNonEmptyString(doi)
      ? ['doi', `is below ${doiPrefix}, which is`]
      : ['prefix', `${doiPrefix} is`];
    const message = `${what} not a prefix of ${id}; it has ${prefixes.join(', ')}`;
    findings.push(findingAt('error', [name], { message }));
  }
  if (
    domains !== undefined &&
    state !== 'draft' &&
    isNonEmptyString(url) &&
    !isAllowed(url, domains)
  ) {
    const message = `is at a domain that ${id} does not allow; it allows ${domains.join(', ')}`;
    findings.push(findingAt('error', ['url'], { message, value: url }));
  }
  return findings;
}

/** Refuses a record that the service would refuse for its repository account. */
export async function refuseForAccount(
  service: Service,
  record: ParsedRecord,
  state: State,
  prefix?: string,
): Promise<void> {
  const findings = accountFindings(record.attributes, state, await ownRepository(service), prefix);
  if (findings.length > 0) reportFindings(record.source, withLines(findings, record));
}

/** Compares like the service: `*.example.org` allows each domain below it, but not itself. */
function isAllowed(url: string, domains: readonly string[]): boolean {
  const [, host] = /^\w+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)/.exec(url) ?? [];
  if (host === undefined) return true;
  return domains.some((domain) =>
    domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain,
  );
}

import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { FilterOptions } from './query.ts';

// Filters of the service that have no option here (observed).
const OTHER_FILTERS = `
  affiliation-id certificate client-type composite consortium-id disable-facets enriched facets funder-id include
  include-other-registration-agencies license mailto published publisher resource-type schema-version source subject
  user-id`
  .trim()
  .split(/\s+/);
const FAMILIES = /^(has|link-check)-/;

// Parameters that have an option of their name, and those whose option has another name.
const OWN_NAMES = `
  provider-id client-id prefix state query created registered resource-type-id detail affiliation sort`
  .trim()
  .split(' ');
const OWN_OPTIONS = new Map([
  ['fields[dois]', '--fields'],
  ['page[size]', '--page-size'],
  ['page[number]', '--page'],
  ['page[cursor]', '--all'],
]);

/**
 * Parses `name=value` of `--filter`.
 * @throws {Error} also for a filter that has an option, because the option checks its value.
 */
export function parseFilter(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1)];
  if (at < 1 || name === '' || value === '') throw new Error(`'${text}' is not of the form name=value`);
  const option = OWN_NAMES.includes(name) ? `--${name}` : OWN_OPTIONS.get(name);
  if (option !== undefined) throw new Error(`for ${name} use ${option}`);
  return [name, value];
}

/** The filters that the service is not known to have: it would ignore them and return everything. */
export function unknownFilters(filters: readonly (readonly [string, string])[]): string[] {
  return filters
    .map(([name]) => name)
    .filter((name) => !OTHER_FILTERS.includes(name) && !FAMILIES.test(name));
}

/**
 * Warns of filters and credentials that make a list hold other records than expected.
 * @throws {CliError} kind `credentials` or `usage` when an anonymous reader asks for records that need
 *   credentials.
 */
export function warnAboutList(context: Context, { credentials }: Service, options: FilterOptions): void {
  for (const name of unknownFilters(options.filter ?? [])) {
    context.messages.warn(
      `the service is not known to have a filter '${name}': it may ignore it and list everything`,
    );
  }
  if (credentials === undefined) {
    if (options.state !== undefined && options.state !== 'findable') {
      // The service would silently list Findable records instead (observed).
      throw new CliError('credentials', 'without credentials only Findable DOIs can be listed', {
        hint: 'set DOI_CLI_API_KEY, or use --state findable',
      });
    }
    if (options.mine) {
      throw usageError(
        '--mine needs credentials: anonymously nothing is yours',
        'set DOI_CLI_API_KEY, or --client-id',
      );
    }
    return;
  }
  if (!options.mine && options.clientId === undefined && options.state === undefined) {
    context.messages.note(
      'note: with credentials and without --client-id or --state this holds Draft and Registered records of' +
        ' other repositories too (--mine, --state findable or --anonymous for less)',
    );
  }
}

import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, usageError } from '../../../errors.ts';
import { unknownFilters } from './filters.ts';
import type { FilterOptions } from './query.ts';

/**
 * What a person should know before trusting a list.
 * @throws {CliError} kind `credentials` or `usage` when an anonymous reader asks for what only others see.
 */
export function remark(context: Context, { credentials }: Service, options: FilterOptions): void {
  for (const name of unknownFilters(options.filter ?? [])) {
    context.messages.warn(
      `the service is not known to have a filter '${name}': it may ignore it and list everything`,
    );
  }
  if (credentials === undefined) {
    if (options.state !== undefined && options.state !== 'findable') {
      // The service would list Findable records instead, without a word (observed).
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

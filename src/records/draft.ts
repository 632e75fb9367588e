import type { Doi } from '../api/dois.ts';
import { CliError } from '../errors.ts';
import type { RunContext } from './run-context.ts';

/**
 * Refuses to delete a DOI that is not a Draft (service.md, W13).
 * @throws {CliError} kind `rejected`.
 */
export function requireDraft(context: RunContext, { id, attributes: { state } }: Doi): void {
  if (state === 'draft') return;
  const hide = context.suggest('dois', 'hide', id);
  throw new CliError(
    'rejected',
    `${id} is ${String(state ?? 'no Draft')}, and only Drafts can be deleted: a DOI that was registered stays for good`,
    {
      hint:
        state === 'findable'
          ? `to remove it from the index: ${hide}`
          : 'you can still update its metadata, and set its URL to a page that explains what happened to it',
    },
  );
}

import { type Doi, deleteDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { CliError } from '../../../errors.ts';
import { requireDraft } from '../change/draft.ts';
import { getExistingDoi } from '../record/existing-doi.ts';
import { forEachDoi } from './for-each-doi.ts';

interface DeleteOptions {
  readonly yes?: boolean;
}

/**
 * Deletes Drafts, after a confirmation. The service deletes no other DOIs (service.md, W13), so the state of
 * each is checked before anything is deleted.
 * @throws {CliError} kind `usage` before any request where nobody can be asked and `--yes` is missing;
 *   `rejected` for a DOI that is no Draft.
 */
export async function deleteDoisCommand(
  context: Context,
  dois: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  const confirmed = confirmation(context, {
    yes: options.yes,
    reason: 'deleting asks for confirmation',
    retry: context.suggest('dois', 'delete', ...dois, '--yes'),
    declined: 'nothing was deleted',
  });
  const service = await context.service('writes');
  if (!options.yes) await confirmed(await deletionQuestion(context, service, dois));
  await forEachDoi(context, dois, 'deleted', async (doi) => {
    // Check again: the answer to the question may have taken a while.
    const { id } = await readDraft(context, service, doi);
    await untilAnswered(context, () => deleteDoi(service, id));
    await context.out.write(`Deleted ${id}\n`);
  });
}

/**
 * The question, with the DOIs that are Drafts.
 * @throws {CliError} when none is.
 */
async function deletionQuestion(
  context: Context,
  service: Service,
  dois: readonly string[],
): Promise<string> {
  const drafts: string[] = [];
  let refused: unknown;
  for (const doi of dois) {
    try {
      drafts.push(draftText(await readDraft(context, service, doi)));
    } catch (error) {
      if (!(error instanceof CliError) || !['rejected', 'not-found'].includes(error.kind)) throw error;
      refused = error;
    }
  }
  // The reason for each DOI is reported in the loop of `forEachDoi`.
  if (drafts.length === 0)
    throw dois.length === 1 ? refused : new CliError('rejected', 'none of these DOIs is a Draft of yours');
  const question =
    drafts.length === 1 ? 'Delete this Draft for good?' : `Delete these ${drafts.length} Drafts for good?`;
  return `${drafts.join('')}${question}`;
}

/** @throws {CliError} kind `rejected` for a DOI that is not a Draft. */
async function readDraft(context: Context, service: Service, doi: string): Promise<Doi> {
  const found = await getExistingDoi(service, doi);
  requireDraft(context, found);
  return found;
}

/** A Draft with its title, as one line of the question. */
function draftText({ id, attributes }: Doi): string {
  const [first] = (attributes['titles'] ?? []) as { title?: unknown }[];
  return `  ${id}${typeof first?.title === 'string' ? ` '${first.title}'` : ''}\n`;
}

import { type Doi, deleteDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { CliError } from '../../../errors.ts';
import { requireDraft } from '../../../records/draft.ts';
import { getExistingDoi } from '../../../records/existing-doi.ts';
import { valueAt } from '../../../text/json-values.ts';
import type { ManyFlags } from '../bulk/input.ts';
import { printPreview } from '../change/preview.ts';
import type { ReportFormat } from '../record/written-record.ts';
import { forEachDoi } from './for-each-doi.ts';
import { changeMany, formatFor, requireDois } from './many.ts';

interface DeleteOptions extends ManyFlags {
  /** The DOIs, instead of the command line. */
  readonly file?: string;
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
  if (options.file !== undefined) return changeMany(context, 'delete', dois, options.file, options);
  requireDois('delete', dois, options);
  if (options.dryRun) return previewDeletions(context, dois, formatFor(context, dois, options));
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
    await context.out.write(deletedText(id, options.format));
  });
}

/** Prints which DOIs would be deleted. */
async function previewDeletions(
  context: Context,
  dois: readonly string[],
  format: ReportFormat | undefined,
): Promise<void> {
  const service = await context.service('writes');
  await forEachDoi(context, dois, 'checked', async (doi) => {
    const { id } = await readDraft(context, service, doi);
    const change = { path: 'state', before: 'draft', after: undefined };
    await printPreview(context, id, [change], format);
  });
}

function deletedText(doi: string, format: ReportFormat = 'text'): string {
  if (format === 'text') return `Deleted ${doi}\n`;
  const result = { doi, state: null, outcome: 'deleted', errors: [] };
  return `${JSON.stringify(result, undefined, format === 'json' ? 2 : 0)}\n`;
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
  const title = valueAt(attributes, ['titles', 0, 'title']);
  return `  ${id}${typeof title === 'string' ? ` '${title}'` : ''}\n`;
}

import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { systemReason } from '../../../disk/system-error.ts';
import { usageError } from '../../../errors.ts';
import type { WriteCommand } from '../../../records/entry.ts';
import { openLedger, readLedger } from '../../../records/ledger-file.ts';
import type { LineOptions } from '../../../records/line.ts';
import { type LineIndex, LineStatus } from '../../../records/line-index.ts';
import type { RecordSource } from '../../../records/record-source.ts';
import type { Survey } from '../../../records/survey.ts';
import { normalizeBaseUrl } from '../../../settings/settings.ts';
import { counted } from '../../../text/words.ts';
import type { WriteFlags } from './input.ts';

/**
 * Prepares the question before what cannot be undone: a deletion, and on a terminal the registration of many DOIs.
 * Call it before anything is read.
 * @throws {CliError} kind `usage` for a deletion that nobody can be asked about, without `--yes`.
 */
export function questionFor(
  context: Context,
  command: WriteCommand,
  { name, path }: RecordSource,
  { yes, dryRun }: WriteFlags,
): (found: Survey) => Promise<void> {
  const registers = command === 'publish' || command === 'register';
  if (dryRun || !(command === 'delete' || (registers && context.interactive))) return async () => undefined;
  const confirmed = confirmation(context, {
    yes,
    reason: 'deleting asks for confirmation',
    retry: context.suggest('dois', command, '--file', path ?? '-', '--yes'),
    declined: 'nothing was sent',
  });
  return ({ records, done }) => {
    const which = `${counted(records - done, 'DOI')} of ${name}`;
    return confirmed(
      command === 'delete'
        ? `Delete ${which} for good?`
        : `${command === 'publish' ? 'Publish' : 'Register'} ${which}? They can never be deleted then.`,
    );
  };
}

/** Records without a DOI that another ledger says were created of the same lines. */
interface CreatedBefore {
  see(line: number, index: LineIndex, doi: string | undefined): void;
  /** @throws {CliError} kind `usage` or `rejected` if this run would create one of them again and may not. */
  ask(): Promise<void>;
}

/**
 * Finds out which records a create with `--ledger` would create again; undefined where there is nothing to find.
 * @param usual the ledger that the file has without `--ledger`.
 * @throws {CliError} kind `usage` when that ledger is damaged or cannot be read.
 */
export async function createdBefore(
  context: Context,
  { yes }: WriteFlags,
  { command }: LineOptions,
  usual: string | undefined,
): Promise<CreatedBefore | undefined> {
  if (command !== 'create' || usual === undefined || yes) return undefined;
  const handle = await openLedger(usual).catch((error: unknown) => {
    throw usageError(
      `cannot read ${usual}, which may say that these records have been created: ${systemReason(error)}`,
      'make it readable',
    );
  });
  if (handle === undefined) return undefined;
  const { index: known, header } = await readLedger(handle, usual).finally(() => handle.close());
  // On another system it is another record.
  if (header.baseUrl !== normalizeBaseUrl(await context.baseUrl())) return undefined;
  const created = new Set<bigint>();
  for (let line = 1; line <= known.last; line += 1) if (isCreated(known, line)) created.add(known.hash(line));
  let again = 0;
  return {
    see: (line, index, doi) => {
      if (doi === undefined && !isCreated(index, line) && created.has(index.hash(line))) again += 1;
    },
    ask: async () => {
      if (again === 0) return;
      const which = again === 1 ? '1 of these records has' : `${again} of these records have`;
      const reason = `${usual} says that ${which} been created; with another --ledger each of them is created again, under a second DOI`;
      await confirmation(context, {
        yes,
        reason,
        retry: 'leave out --ledger to continue that run; --yes creates them again',
        declined: 'nothing was sent',
      })(`${reason}. Create them again?`);
    },
  };
}

function isCreated(index: LineIndex, line: number): boolean {
  const status = index.status(line);
  return status !== LineStatus.untouched && status !== LineStatus.failed;
}

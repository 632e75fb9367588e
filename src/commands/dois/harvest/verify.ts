import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { ledgersToVerify, verifyCopy } from '../../../core/copy.ts';
import { CliError } from '../../../errors.ts';
import { jsonLines } from '../../../formats/output/row-writer.ts';
import { ONLY_FRESH } from '../../../harvest/store/receipt.ts';
import { counted, number } from '../../../text/words.ts';
import { directoryOf, withProgress } from './directory.ts';
import type { verify } from './index.ts';

type Differences = Awaited<ReturnType<typeof verifyCopy>>;

type VerifyFlags = OptionsOf<typeof verify>;

/** Compares the DOIs of a directory with the service's. */
export async function verifyCommand(context: Context, options: VerifyFlags): Promise<void> {
  const dir = await directoryOf(options);
  const ledgers = await ledgersToVerify(dir, await context.services.baseUrl(), context.host.signal);
  const service = await context.services.open('reads', options.rate ?? 'service');
  const { warn } = context.messages;
  const differences = await withProgress(context, (host) =>
    verifyCopy({ service, ...host, warn }, dir, ledgers, options.jobs),
  );
  await printDifferences(context, differences, options.format);
  reportDifferences(context, differences);
}

function reportDifferences(
  context: Context,
  { missing, surplus, here, atService, mixed }: Differences,
): void {
  const counts = `${counted(here, 'DOI')} here, ${number(atService)} at the service`;
  const differences = `${number(missing.length)} missing, ${number(surplus.length)} surplus`;
  if (mixed !== undefined)
    throw new CliError('incomplete', `${counts}: ${differences}; ${mixed}`, { hint: ONLY_FRESH });
  if (missing.length === 0 && surplus.length === 0) {
    context.messages.note(`${counts}; none missing, none surplus`);
    return;
  }
  throw new CliError('incomplete', `${counts}: ${differences}`, {
    hint:
      missing.length > 0
        ? 'the same harvest again fetches DOIs created since'
        : 'surplus DOIs are no longer part of the query: hidden, deleted or changed since',
  });
}

function printDifferences(
  { out }: Context,
  { missing, surplus, here, atService }: Differences,
  format: VerifyFlags['format'],
): Promise<void> {
  if (format === 'json') {
    const same = surplus.length === 0 && missing.length === 0;
    const summary = { same, here, atService, missing, surplus };
    return out.write(`${JSON.stringify(summary, null, 2)}\n`);
  }
  const rows = Object.entries({ missing, surplus }).flatMap(([what, dois]) =>
    dois.map((doi) => ({ doi, what })),
  );
  const text = ({ doi, what }: (typeof rows)[number]) => `${what} ${doi}`;
  return jsonLines(out, format === 'ndjson' ? JSON.stringify : text).write(rows);
}

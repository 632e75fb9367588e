import { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { labelled } from '../../ui/table.ts';
import type { Finding } from './check.ts';
import { checkCredentials } from './credentials.ts';
import { checkFolder, checkKeychain, checkNode, checkProfile } from './local.ts';
import { checkNetwork } from './network.ts';

const MAX_TIMEOUT_MS = 10_000;
/** The widths of the status and the check before a message. */
const LABELS = [7, 13];
const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/**
 * Checks what commands depend on, and prints each finding with what to do. Nothing but the service gets a secret.
 * @returns the exit code: 5 when the service cannot be reached, 4 when a credential is refused or cannot be read,
 *   1 for other problems, 0 without any.
 */
export async function doctorCommand(
  { host, options, messages, redactor }: Context,
  { format }: { readonly format: 'text' | 'json' },
): Promise<number> {
  // Nobody wants to wait for nine attempts of two minutes to read that there is no network.
  const timeout = Math.min(options.timeout, MAX_TIMEOUT_MS);
  const context = new Context(
    host,
    { ...options, timeout, retries: Math.min(options.retries, 1) },
    messages,
    redactor,
  );
  const findings: Finding[] = [];
  const report = async (finding: Finding) => {
    findings.push(finding);
    if (format === 'text') await printFinding(context, finding);
  };
  try {
    await report(checkNode(context));
    await report(checkFolder(context));
    const profile = await checkProfile(context);
    await report(profile);
    await report(await checkKeychain(context));
    // Without a base URL there is nothing to connect to.
    if (profile.status !== 'problem') {
      const isReachable = await checkNetwork(context, report);
      for (const finding of await checkCredentials(context, isReachable)) await report(finding);
    }
  } finally {
    await context.close();
  }
  if (format === 'json') await printJson(context, findings);
  return exitCodeOf(findings);
}

function exitCodeOf(findings: readonly Finding[]): number {
  const codes = findings
    .filter(({ status }) => status === 'problem')
    .map(({ kind = 'unexpected' }) => new CliError(kind, '').exitCode);
  // What has the settings or the network as its cause comes first.
  return [5, 4].find((code) => codes.includes(code)) ?? (codes.length > 0 ? 1 : 0);
}

function printJson(context: Context, findings: readonly Finding[]): Promise<void> {
  const clean = findings.map(({ kind: _, ...finding }) => ({
    ...finding,
    message: context.messages.clean(finding.message),
    hint: finding.hint && context.messages.clean(finding.hint),
  }));
  return context.out.write(`${JSON.stringify(clean, null, 2)}\n`);
}

function printFinding(context: Context, { check, status, message, hint }: Finding): Promise<void> {
  const { messages, look, host } = context;
  const labels = [look.paint(COLORS[status], status), check];
  const texts = [message, hint ?? []].flat().map((text) => ({ text: messages.clean(text) }));
  const width = (host.terminal.stdout && host.terminal.columns) || Number.POSITIVE_INFINITY;
  // The text is safe already; `out` would also escape the colours.
  return host.stdout.write(labelled(labels, LABELS, texts, { look, width }));
}

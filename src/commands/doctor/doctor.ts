import { heartbeat } from '../../api/heartbeat.ts';
import { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { CliError, toCliError } from '../../errors.ts';
import { labelled } from '../../ui/table.ts';
import { allCredentials, type UnverifiedCredential } from '../auth/status.ts';
import * as checks from './checks.ts';
import type { doctor } from './index.ts';

const MAX_TIMEOUT_MS = 10_000;
const LABELS = [7, 13];
const COLORS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

interface Finding extends checks.CheckResult {
  readonly check: string;
}

/**
 * Checks everything that commands depend on, and prints findings with hints. @returns 5 when the
 * service cannot be reached, 4 when a credential is refused or cannot be read, 1 for other
 * problems, else 0.
 */
export async function doctorCommand(
  { host, options, messages, redactor }: Context,
  { format }: OptionsOf<typeof doctor>,
): Promise<number> {
  // Without a network, the usual nine attempts of two minutes would take too long.
  const timeout = Math.min(options.timeout, MAX_TIMEOUT_MS);
  const patience = { ...options, timeout, retries: Math.min(options.retries, 1) };
  const context = new Context(host, patience, messages, redactor);
  const findings: Finding[] = [];
  try {
    for await (const finding of examine(context)) {
      findings.push(finding);
      if (format === 'text') await printFinding(context, finding);
    }
  } finally {
    await context.services.close();
  }
  if (format === 'json') {
    const clean = findings.map(({ check, status, message, hint }) => ({
      check,
      status,
      message: messages.clean(message),
      hint: hint === undefined ? null : messages.clean(hint),
    }));
    await context.out.write(`${JSON.stringify(clean, null, 2)}\n`);
  }
  return exitCodeOf(findings);
}

async function* examine(context: Context): AsyncGenerator<Finding> {
  const { host, options } = context;
  const runCheck = async (
    check: string,
    find: () => checks.CheckResult | Promise<checks.CheckResult>,
  ): Promise<Finding> => {
    try {
      host.signal.throwIfAborted();
      return { check, ...(await find()) };
    } catch (error) {
      if (host.signal.aborted) throw host.signal.reason;
      const { kind, message, hint } = toCliError(error);
      return { check, status: 'problem', message, hint, kind };
    }
  };
  yield runCheck('node', () => checks.nodeVersion(context));
  yield runCheck('config-folder', () => checks.configFolder(context));
  const profile = await runCheck('profile', () => checks.profile(context));
  yield profile;
  const keychain = await runCheck('keychain', () => checks.keychain(context));
  yield keychain;
  // Without a base URL there is nothing to connect to.
  if (profile.status === 'problem') return;
  let last = await runCheck('proxy', () => checks.proxy(context));
  yield last;
  if (last.status !== 'problem') {
    let ahead = Number.NaN;
    last = await runCheck('service', async () => {
      const { http } = await context.services.connect(undefined);
      ahead = await heartbeat(http, host);
      return checks.ok(`${http.baseUrl.host} works`);
    });
    yield last;
    if (last.status !== 'problem') yield runCheck('clock', () => checks.clock(ahead));
  }
  let credentials: readonly UnverifiedCredential[] = [];
  const none = await runCheck('credentials', async () => {
    credentials = options.anonymous ? [] : await allCredentials(context, false);
    return credentials.length > 0 && last.status === 'problem'
      ? checks.warning('not checked, because the service cannot be reached')
      : checks.noCredentials(context, keychain.status === 'ok' ? undefined : keychain.hint);
  });
  if (credentials.length === 0 || none.status !== 'ok') return yield none;
  for (const each of credentials)
    yield runCheck('credentials', () => checks.credential(context, each));
}

function exitCodeOf(findings: readonly Finding[]): number {
  const problems = findings.filter(({ status }) => status === 'problem');
  const codes = problems.map(({ kind = 'unexpected' }) => new CliError(kind, '').exitCode);
  // An unreachable service, then refused credentials, matter most.
  return [5, 4].find((code) => codes.includes(code)) ?? (codes.length > 0 ? 1 : 0);
}

function printFinding(context: Context, { check, status, message, hint }: Finding): Promise<void> {
  const { messages, look, host } = context;
  const labels = [look.paint(COLORS[status], status), check];
  const texts = [message, hint ?? []].flat().map((text) => ({ text: messages.clean(text) }));
  const width = (host.terminal.stdout && host.terminal.columns) || Number.POSITIVE_INFINITY;
  // The text is safe already; `out` would also escape the colours.
  return host.stdout.write(labelled(labels, LABELS, texts, { look, width }));
}

import { serviceRate } from '../../api/http/rate-limiter.ts';
import { isTestSystem } from '../../api/systems.ts';
import type { Context } from '../../cli/context.ts';
import { number } from '../../text/words.ts';
import { allCredentials, type UnverifiedCredential, verifyCredential } from '../auth/credential-status.ts';
import { type Finding, fine, problem, warning } from './check.ts';

const CHECK = 'credentials';

/**
 * Each credential of the environment and of the stores for this service, and whether the service accepts it.
 * @param isReachable whether the service answers; it is not asked otherwise.
 * @returns the findings, and the rate limit that follows from them.
 */
export async function checkCredentials(context: Context, isReachable: boolean): Promise<readonly Finding[]> {
  if (context.options.anonymous) {
    const none = fine(CHECK, 'none are sent, because of --anonymous');
    return isReachable ? [none, await rateFinding(context, false)] : [none];
  }
  let found: readonly UnverifiedCredential[];
  try {
    found = await allCredentials(context, false);
  } catch (error) {
    return [problem(context, CHECK, error)];
  }
  const findings: Finding[] = [];
  let accepted = false;
  for (const credential of found) {
    const finding = isReachable ? await checkOne(context, credential) : unasked(credential);
    accepted ||= finding.status === 'ok';
    findings.push(finding);
  }
  if (found.length === 0) {
    const hint = `to write, to read Drafts and to manage keys: ${context.suggest('auth', 'login')}`;
    findings.push(fine(CHECK, 'none, so that only Findable records can be read', hint));
  }
  return isReachable ? [...findings, await rateFinding(context, accepted)] : findings;
}

async function checkOne(context: Context, credential: UnverifiedCredential): Promise<Finding> {
  const { status, exitCode, hint } = await verifyCredential(context, credential);
  const { account, keyPrefix, accepted, message } = status;
  const words = nameOf({ ...credential, account }, keyPrefix);
  if (accepted) return fine(CHECK, `${words} is accepted`);
  const outcome = accepted === null ? 'cannot be checked' : 'is refused';
  return {
    check: CHECK,
    status: 'problem',
    message: `${words} ${outcome}: ${message}`,
    hint: hint ?? null,
    kind: exitCode === 5 ? 'unavailable' : 'credentials',
  };
}

const unasked = (credential: UnverifiedCredential) =>
  warning(CHECK, `${nameOf(credential, null)} was not checked, because the service cannot be reached`);

function nameOf(
  { kind, account, source }: Omit<UnverifiedCredential, 'read'>,
  prefix: string | null,
): string {
  const what = kind === 'repository' ? 'the password' : `the API key${prefix === null ? '' : ` ${prefix}`}`;
  const where = source === 'insecure-file' ? 'file of credentials' : source;
  return `${what}${account === null ? '' : ` of ${account}`} from the ${where}`;
}

/** The rate limit of this caller (service.md, E6). */
async function rateFinding(context: Context, authenticated: boolean): Promise<Finding> {
  const mailto = context.options.mailto ?? (await context.profile()).mailto;
  const testSystem = isTestSystem(await context.baseUrl());
  const { requests } = serviceRate({ authenticated, mailto: mailto !== undefined, testSystem });
  const why = testSystem
    ? 'the test system'
    : authenticated
      ? 'credentials'
      : mailto
        ? '--mailto'
        : 'no name';
  const hint = why === 'no name' ? '--mailto <address> or credentials raise it' : null;
  return fine('rate-limit', `${number(requests)} requests in five minutes, for ${why}`, hint);
}

import { heartbeat } from '../../api/heartbeat.ts';
import { proxyFor } from '../../api/http/proxy.ts';
import { addressesOf, type Endpoint, endpointOf, tryToConnect } from '../../api/http/reach.ts';
import type { Context } from '../../cli/context.ts';
import { formatDuration } from '../../text/words.ts';
import { type Finding, fine, problem, warning } from './check.ts';

const boundsOf = ({ options, host }: Context) => ({ limitMs: options.timeout, signal: host.signal });
// Signatures of requests to the data file are refused beyond 15 minutes; a minute is already unusual.
const CLOCK_WARNING_MS = 60_000;
const CLOCK_PROBLEM_MS = 15 * 60_000;

/**
 * The way to the service, one step after the other; the first that fails is the last.
 * @param report gets each finding at once.
 * @returns whether the service answers.
 */
export async function checkNetwork(
  context: Context,
  report: (finding: Finding) => Promise<void>,
): Promise<boolean> {
  for (const check of [checkProxy, checkName, checkConnection]) {
    const finding = await check(context);
    await report(finding);
    if (finding.status === 'problem') return false;
  }
  const findings = await checkService(context);
  for (const finding of findings) await report(finding);
  return findings[0]?.status !== 'problem';
}

async function checkProxy(context: Context): Promise<Finding> {
  const check = 'proxy';
  const { env } = context.host;
  try {
    const baseUrl = await context.baseUrl();
    const proxy = proxyFor(baseUrl, env);
    const variable = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
    if (proxy !== undefined) return fine(check, `${proxy.protocol}//${proxy.host}, which ${variable} names`);
    if (variable === undefined) return fine(check, 'none');
    const why = baseUrl.protocol === 'https:' ? 'NO_PROXY leaves out this service' : 'it is for https only';
    return fine(check, `none: ${variable} is set, but ${why}`);
  } catch (error) {
    return problem(context, check, error);
  }
}

/** Where this machine connects to: the proxy, or else the service. */
async function firstHop(context: Context): Promise<{ endpoint: Endpoint; whose: string }> {
  const baseUrl = await context.baseUrl();
  const proxy = proxyFor(baseUrl, context.host.env);
  return { endpoint: endpointOf(proxy ?? baseUrl), whose: proxy === undefined ? '' : 'the proxy ' };
}

async function checkName(context: Context): Promise<Finding> {
  const { endpoint, whose } = await firstHop(context);
  try {
    const addresses = await addressesOf(endpoint, boundsOf(context));
    if (addresses.includes(endpoint.host)) return fine('name', `${whose}${endpoint.host} needs no look-up`);
    return fine('name', `${whose}${endpoint.host} is ${addresses.join(', ')}`);
  } catch (error) {
    const hint = 'check the spelling of the address and the connection to the internet';
    return { ...problem(context, 'name', error), hint };
  }
}

async function checkConnection(context: Context): Promise<Finding> {
  const { endpoint, whose } = await firstHop(context);
  const where = `${whose}${endpoint.host}:${endpoint.port}`;
  try {
    const validUntil = await tryToConnect(endpoint, boundsOf(context));
    const trusted = validUntil === undefined ? '' : `, and its certificate is trusted until ${validUntil}`;
    return fine('connection', `${where} accepts connections${trusted}`);
  } catch (error) {
    const found = problem(context, 'connection', error);
    const hint =
      'something between here and there refuses: a firewall, a proxy that is missing, or a wrong port';
    return { ...found, hint: found.hint ?? hint };
  }
}

/** The heartbeat of the service, and what its answer says of the clock here. */
async function checkService(context: Context): Promise<Finding[]> {
  try {
    const { http } = await context.connect(undefined);
    const ahead = await heartbeat(http, context.host);
    return [fine('service', `${http.baseUrl.host} works`), clockFinding(ahead)];
  } catch (error) {
    return [problem(context, 'service', error)];
  }
}

function clockFinding(ahead: number): Finding {
  const check = 'clock';
  if (Number.isNaN(ahead)) return warning(check, 'the service tells no time to compare with');
  const difference = Math.abs(ahead);
  if (difference < CLOCK_WARNING_MS) return fine(check, 'agrees with the clock of the service');
  const message = `${formatDuration(difference)} ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the service`;
  const hint = 'set the clock of this machine; harvests of changes and the data file depend on it';
  if (difference < CLOCK_PROBLEM_MS) return warning(check, message, hint);
  return { check, status: 'problem', message, hint, kind: 'unexpected' };
}

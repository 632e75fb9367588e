/**
 * Faults that the emulator answers with on request. A fault is written as
 *
 *     <kind>[<when>][=<parameter>]
 *
 *     <when>  :<probability>    of each request, above 0 and at most 1, e.g. `502:0.05`
 *             @<n>[,<n>…]       the n-th request, counted from 1; `<n>+` adds all later ones
 *             (nothing)         every request
 *
 * Each rule counts the requests that it applies to. Kinds for lists count GET /dois, kinds for
 * writes count requests that create, change or delete something, and the others count every request
 * of the API. /heartbeat and /_emulator/ are never counted. Probabilities use the seed, so that a
 * run can be repeated. When several rules strike at once, the first wins.
 *
 * `poison-cursor:<record index>[:<largest page size>]` depends on a record, not on a request
 * number: a page that would hold that generated record answers 504 when its size is above the
 * largest page size (default 10).
 */
export interface FaultRule {
  readonly spec: string;
  readonly kind: FaultKind;
  readonly when: Occasion;
  /** Milliseconds for `slow` and `late-index`, seconds for `429`, an origin for `foreign-next`. */
  readonly parameter?: number | string;
  /** For `poison-cursor` only. */
  readonly poison?: { readonly index: number; readonly largestSize: number };
}

/** When a rule strikes. */
type Occasion =
  | { readonly probability: number }
  /** `from` starts the open end of a list; Infinity without one. */
  | { readonly requests: readonly number[]; readonly from: number };

/** What a request is about, as far as faults distinguish it: GET /dois is a `list`. */
export type Topic = 'list' | 'write' | 'other';

interface Meaning {
  /** `answer` replaces or mangles any answer; the others concern one topic. */
  readonly scope: 'answer' | Topic;
  readonly help: string;
}

// Failures of the service and of the network: error pages and throttling (service.md, E4, E7), cut
// bodies and pages that always fail (service.md, E9, E10), lost answers (service.md, E11), repeated
// records (service.md, P14).
const KINDS = {
  '500': { scope: 'answer', help: 'HTML error page, nothing is carried out' },
  '502': { scope: 'answer', help: 'HTML error page, nothing is carried out' },
  '504': { scope: 'answer', help: 'HTML error page, although the request IS carried out' },
  '403': {
    scope: 'answer',
    help: 'HTML page of the load balancer: throttled, nothing is carried out',
  },
  '429': { scope: 'answer', help: 'JSON error with Retry-After; =<seconds>, default 1' },
  reset: { scope: 'answer', help: 'carried out, then the connection is reset before any byte' },
  truncate: { scope: 'answer', help: 'half of the advertised body, then the connection closes' },
  'truncate-gzip': {
    scope: 'answer',
    help: 'gzip stream (or plain body) cut in half, HTTP framing intact',
  },
  slow: { scope: 'answer', help: 'the body trickles in; =<duration>, default 2s (also 500ms, 1m)' },
  stall: {
    scope: 'answer',
    help: 'headers and half of the body, then silence until the client goes away',
  },
  'lost-answer': {
    scope: 'write',
    help: 'carried out with success, then the connection is reset; a refusal is still sent',
  },
  'late-index': {
    scope: 'write',
    help:
      'the record is in lists only later; ' +
      '=<duration> on the clock of the emulator, default 120m',
  },
  anonymous: {
    scope: 'list',
    help: 'correct credentials are ignored, as the headers of the answer show',
  },
  'repeat-cursor': { scope: 'list', help: 'links.next carries the cursor just used' },
  'restart-cursor': {
    scope: 'list',
    help: 'links.next carries a cursor that starts from the beginning',
  },
  'foreign-next': {
    scope: 'list',
    help: 'links.next leaves the origin; =<origin>, default http://foreign.example',
  },
  'empty-page': { scope: 'list', help: 'no rows and no links.next, while meta.total stays' },
  duplicate: {
    scope: 'list',
    help: 'the page begins with the last record of the page before (cursor mode)',
  },
  lose: { scope: 'list', help: 'one record is missing from the page, while meta.total stays' },
  'wrong-page': {
    scope: 'list',
    help: 'the page before is served again: meta.page does not advance',
  },
  'poison-cursor': {
    scope: 'list',
    help:
      ':<record index>[:<size>] pages that hold that record fail with 504 ' +
      'if larger than size (default 10)',
  },
} as const satisfies Record<string, Meaning>;

type FaultKind = keyof typeof KINDS;

/** Every kind with its meaning in one line, for help texts. */
export const FAULT_HELP: readonly { readonly kind: FaultKind; readonly meaning: string }[] =
  Object.entries(KINDS).map(([kind, { help }]) => ({ kind: kind as FaultKind, meaning: help }));

const DEFAULT_MS = { slow: 2000, 'late-index': 7_200_000 };
const DEFAULT_RETRY_AFTER = 1;
const DEFAULT_FOREIGN_ORIGIN = 'http://foreign.example';
const DEFAULT_POISON_SIZE = 10;

/** Whether a kind applies to a request about a topic. */
export function applies(kind: FaultKind, topic: Topic): boolean {
  const { scope } = KINDS[kind];
  return scope === 'answer' || scope === topic;
}

/** Whether a kind changes the content of an answer, and not only its delivery. */
export function isContentFault(kind: FaultKind): boolean {
  return KINDS[kind].scope === 'list';
}

/**
 * Reads one fault, e.g. `502:0.05`, `reset@3,7`, `slow:0.1=5s` or `poison-cursor:1500:50`.
 *
 * @throws Error that explains the mistake and lists what is allowed
 */
export function parseFault(spec: string): FaultRule {
  const equals = spec.indexOf('=');
  const rule = equals < 0 ? spec : spec.slice(0, equals);
  const parameter = equals < 0 ? undefined : spec.slice(equals + 1);
  const [, kind = '', mark, when = ''] = /^([^:@]*)([:@])?(.*)$/.exec(rule) ?? [];
  if (!isKind(kind))
    throw new Error(`unknown fault "${kind}": use one of ${Object.keys(KINDS).join(', ')}`);
  if (kind === 'poison-cursor') {
    if (parameter !== undefined) throw new Error('fault "poison-cursor" takes no =<parameter>');
    return { spec, kind, when: ALWAYS, poison: poisonOf(rule) };
  }
  const value = parameterOf(kind, parameter);
  return {
    spec,
    kind,
    when: occasion(spec, mark, when),
    ...(value === undefined ? {} : { parameter: value }),
  };
}

const ALWAYS: Occasion = { requests: [], from: 1 };

function isKind(kind: string): kind is FaultKind {
  return Object.hasOwn(KINDS, kind);
}

function occasion(spec: string, mark: string | undefined, when: string): Occasion {
  if (mark === undefined) return ALWAYS;
  if (mark === ':') {
    const probability = /^\d*\.?\d+$/.test(when) ? Number(when) : Number.NaN;
    if (probability > 0 && probability <= 1) return { probability };
    throw new Error(
      `fault "${spec}": the probability must be above 0 and at most 1, as in 502:0.05`,
    );
  }
  if (!/^[1-9]\d{0,8}\+?(,[1-9]\d{0,8}\+?)*$/.test(when)) {
    throw new Error(
      `fault "${spec}": requests are numbered from 1, as in 502@3 or 502@3,7 or 502@3+`,
    );
  }
  const items = when.split(',');
  const open = items.filter((item) => item.endsWith('+')).map((item) => Number.parseInt(item, 10));
  const requests = items.filter((item) => !item.endsWith('+')).map(Number);
  return { requests, from: Math.min(...open) };
}

function poisonOf(rule: string): { index: number; largestSize: number } {
  const match = /^poison-cursor:(\d{1,9})(?::(\d{1,4}))?$/.exec(rule);
  if (match === null) {
    throw new Error(
      'fault "poison-cursor" is written poison-cursor:<record index>[:<largest page size>]',
    );
  }
  return { index: Number(match[1]), largestSize: Number(match[2] ?? DEFAULT_POISON_SIZE) };
}

function parameterOf(kind: FaultKind, text: string | undefined): number | string | undefined {
  if (kind === 'slow' || kind === 'late-index')
    return text === undefined ? DEFAULT_MS[kind] : duration(kind, text);
  if (kind === '429') {
    if (text === undefined) return DEFAULT_RETRY_AFTER;
    if (/^\d{1,6}$/.test(text)) return Number(text);
    throw new Error(`fault "429": "${text}" is not a whole number of seconds`);
  }
  if (kind === 'foreign-next') {
    if (text === undefined) return DEFAULT_FOREIGN_ORIGIN;
    if (/^https?:\/\/[^/?#\s]+$/.test(text)) return text;
    throw new Error(
      `fault "foreign-next": "${text}" is not an origin, as in http://foreign.example:8080`,
    );
  }
  if (text !== undefined) throw new Error(`fault "${kind}" takes no =<parameter>`);
  return undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** Milliseconds. A number without a unit is in milliseconds. */
function duration(kind: string, text: string): number {
  const [, number, unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  if (number === undefined)
    throw new Error(`fault "${kind}": "${text}" is not a duration, as in 500ms, 5s or 1m`);
  return Number(number) * (UNITS[unit] ?? 1);
}

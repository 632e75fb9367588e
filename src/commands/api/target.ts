import { usageError } from '../../errors.ts';
import { refuseKey } from '../../text/api-key.ts';
import { isObject } from '../../text/json-values.ts';
import { parseFrom } from '../../text/parsers.ts';
import { visible } from '../../text/redact.ts';
import { withoutCredentials } from '../../text/url.ts';

/** An endpoint of the service: a path below the base URL, beginning with a slash, and a query. */
export interface Endpoint {
  readonly path: string;
  readonly params: readonly (readonly [name: string, value: string])[];
  /**
   * The path in the form that the service matches: decoded, lower case, without slash or `.json` at
   * the end.
   */
  readonly name: string;
}

const HINT = 'doi-cli api /dois';

/**
 * The endpoint for a path or an absolute URL.
 * @throws {CliError} kind `usage` for a URL that is not below the base URL, to which the
 *   credentials belong.
 */
export function targetOf(text: string, baseUrl: URL): Endpoint {
  parseFrom('<path>', text, refuseKeysIn);
  const shown = visible(withoutCredentials(text));
  if (/^[a-z]:[\\/]/i.test(text)) {
    const message = `'${shown}' is a path on Windows: Git Bash replaces a path that begins with /`;
    throw usageError(message, 'leave out the first slash: doi-cli api dois');
  }
  const relative = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? withinBase(text, baseUrl) : text;
  if (/^[/\\]{2}|^[^?]*\\|[#\p{Cc}]/u.test(relative)) {
    const problem = `'${shown}' is not a path: it begins with //, or has a backslash, # or control`;
    throw usageError(`${problem} character`, 'write # as %23');
  }
  const at = relative.indexOf('?');
  const path = `/${(at < 0 ? relative : relative.slice(0, at)).replace(/^\//, '')}`;
  const decoded = decodedPath(path);
  if (decoded === undefined || decoded.split(/[/\\]/).some((step) => /^\.\.?(;|$)/.test(step))) {
    throw usageError(`'${shown}' has a step . or .., or a wrong percent sign`, HINT);
  }
  if (text.trim() === '') throw usageError('the path is empty', HINT);
  const params = at < 0 ? [] : [...new URLSearchParams(relative.slice(at + 1))];
  const name = decoded
    .toLowerCase()
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
    .replace(/\.json$/, '');
  return { path, params, name };
}

/** The path and query of an absolute URL below the base URL. */
function withinBase(text: string, baseUrl: URL): string {
  const root = baseUrl.pathname.replace(/\/+$/, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '';
  // `new URL` resolves `..`, which would hide it.
  const path = /^[^/]*\/\/[^/?#]*(.*)$/s.exec(text)?.[1] ?? '';
  const isBelow = path.startsWith(`${root}/`) || path === root || path.startsWith(`${root}?`);
  if (url?.origin === baseUrl.origin && isPlain && isBelow) return path.slice(root.length) || '/';
  const base = baseUrl.href.replace(/\/+$/, '');
  throw usageError(
    `'${visible(withoutCredentials(text))}' is not below ${base}, to which the credentials belong`,
    'write a path such as /dois, and choose the service with --base-url or --test',
  );
}

/** The path without percent-encoding; ASCII is decoded twice, as a proxy may do. */
function decodedPath(path: string): string | undefined {
  try {
    const once = decodeURIComponent(path);
    return once.replace(/%([2-7][\da-f])/gi, (_, code) => String.fromCharCode(Number(`0x${code}`)));
  } catch {
    return undefined;
  }
}

/** @throws {Error} for a text that contains a whole API key. */
function refuseKeysIn(text: string): void {
  for (const word of text.split(/[^\w.]+/)) refuseKey(word);
}

/** A `name=value`. The value is not trimmed, and may be empty. */
export function parseField(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error('a field has the form name=value');
  refuseKeysIn(text);
  return [name, value];
}

/** The headers of the program and of connections. */
const RESERVED_HEADERS = new Set(
  `authorization proxy-authorization proxy-connection cookie host user-agent accept-encoding
   content-length content-encoding transfer-encoding connection keep-alive upgrade expect te
   trailer`.split(/\s+/),
);

/** A header as `Name: value`; the name in lower case, so that it replaces the program's own. */
export function parseHeader(text: string): readonly [name: string, value: string] {
  const [, written = '', value = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  const name = written.trim().toLowerCase();
  refuseKeysIn(value);
  if (RESERVED_HEADERS.has(name))
    throw new Error(`the header ${name} is set by doi-cli and cannot be replaced`);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
    throw new Error('a header has the form Name: value, in ASCII and on one line');
  return [name, value.trim()];
}

/**
 * A JSON object of fields, if there are any: `data[type]=dois` sets a member of a member, and
 * `names[]=x` adds to a list. As in `gh api --field`, `true`, `false`, `null` and whole numbers are
 * sent as JSON values, and all other values as strings.
 */
export function bodyOf(
  fields: readonly (readonly [name: string, value: string])[],
): string | undefined {
  if (fields.length === 0) return undefined;
  const body: Record<string, unknown> = Object.create(null);
  for (const [name, text] of fields) {
    const steps = stepsOf(name);
    let at = body;
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1;
      const isList = steps[index + 1] === '';
      const inner = isList ? [] : Object.create(null);
      const value = isLast ? jsonValueOf(text) : (at[step] ?? inner);
      // A list has items, and an object has members.
      if (Array.isArray(at) !== (step === ''))
        throw usageError(`--field ${name} does not fit the fields before it`);
      if (Array.isArray(at)) at.push(value);
      else if (isLast && step in at) throw usageError(`--field ${name} is given twice`);
      else at[step] = value;
      if (isLast) continue;
      if (!Array.isArray(value) && (isList || !isObject(value)))
        throw usageError(`--field ${name} does not fit the fields before it`);
      at = value as Record<string, unknown>;
    }
  }
  return JSON.stringify(body);
}

/** The names in `data[attributes][url]`; the last one is empty for an item of a list. */
function stepsOf(name: string): readonly string[] {
  const [whole, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  const steps = [first, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, step = '']) => step)];
  if (whole !== undefined && !steps.slice(0, -1).includes('')) return steps;
  throw usageError(
    `--field ${visible(name)}: a member is written as data[attributes][url]`,
    'send other bodies with --input <file>',
  );
}

function jsonValueOf(text: string): unknown {
  const isNumber = /^-?(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text));
  return isNumber || /^(true|false|null)$/.test(text) ? JSON.parse(text) : text;
}

import { DEMO, type Reply, type Service } from '../service.ts';

/** What the service does, with the source in its code or tests. */
export interface Expectation {
  /** What is expected, in a few words; unique in its area. */
  readonly name: string;
  /** A file of lupo (the REST API) and a line or a name in it. */
  readonly source: string;
  /** How many generated records there are; 1000 for lists, and 100 for others, by default. */
  readonly records?: number;
  /** Requests before the one in question, whose answers do not matter. */
  readonly before?: readonly Sent[];
  readonly request: Sent;
  /** 200 by default. */
  readonly status?: number;
  /** The exact body as text. */
  readonly text?: string;
  /**
   * A part of the body, by a path such as `data.0.attributes.doi`; `undefined` for a member that is
   * absent.
   */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
  /** Anything else that must hold. */
  readonly holds?: (reply: Reply) => boolean;
  /** Why the emulator does something else. docs/dev/emulator-differences.md has the same words. */
  readonly differs?: string;
}

/**
 * A method and a path, then a body, the account (DEMO.REPO by default), and more headers.
 * `{0:data.id}` in the path or in who asks stands for a member of the answer to the first request
 * of an expectation, and `Basic <user>:<password>` is encoded.
 */
export interface Sent {
  readonly line: string;
  readonly body?: unknown;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Expectations by their names. */
export const named = (rows: Readonly<Record<string, Omit<Expectation, 'name'>>>): Expectation[] =>
  Object.entries(rows).map(([name, row]) => ({ name, ...row }));

export const NOT_FOUND = {
  errors: [{ status: '404', title: "The resource you are looking for doesn't exist." }],
};
export const FORBIDDEN = {
  errors: [{ status: '403', title: 'You are not authorized to access this resource.' }],
};
/** An error of a refused write. */
export const problem = (source: string, title: string, uid = '10.5072/x') => ({
  source,
  title,
  uid,
});

/** No credentials. */
export const NOBODY = '';
export const KERNEL_4 = 'http://datacite.org/schema/kernel-4';

export const get = (path: string, as = DEMO, headers = {}): Sent => ({
  line: `GET ${path}`,
  as,
  headers,
});

/** A request with a JSON:API document. */
export const write = (line: string, attributes: unknown, as = DEMO): Sent => ({
  line,
  body: { data: { type: 'dois', attributes } },
  as,
});

/** Everything that a Findable record needs. */
export const COMPLETE = {
  url: 'https://example.org/x',
  creators: [{ name: 'Fenner, Martin', givenName: 'Martin', familyName: 'Fenner' }],
  titles: [{ title: 'Eating your own Dog Food' }],
  publisher: 'DataCite',
  publicationYear: 2016,
  types: { resourceTypeGeneral: 'Text', resourceType: 'BlogPosting' },
  schemaVersion: KERNEL_4,
};

/** A create of a complete Findable record, with changes. */
export const publish = (given: object, line = 'POST /dois'): Sent =>
  write(line, { doi: '10.5072/x', event: 'publish', ...COMPLETE, ...given });

/** XML of a version of the DataCite Metadata Schema. */
export const xml = (
  identifier = '10.5072/x',
  {
    kernel = '4',
    creators = '<creator><creatorName>Fenner, Martin</creatorName></creator>',
    more = '',
  } = {},
): string => `<?xml version="1.0" encoding="UTF-8"?>
<resource xmlns="http://datacite.org/schema/kernel-${kernel}">
  <identifier identifierType="DOI">${identifier}</identifier>
  <creators>${creators}</creators>
  <titles><title>Eating your own Dog Food</title></titles>
  <publisher>DataCite</publisher>
  <publicationYear>2016</publicationYear>
  <resourceType resourceTypeGeneral="Text">BlogPosting</resourceType>${more}
</resource>`;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Sends a request of an expectation. */
async function send(
  service: Service,
  { line, body, as = DEMO, headers }: Sent,
  replies: readonly Reply[],
): Promise<Reply> {
  const [, method = '', path = ''] = /^(\w+) (.*)$/s.exec(line) ?? [];
  const filled = (text: string): string =>
    text.replaceAll(/\{(\d+):([\w.]+)\}/g, (_, place, member) =>
      String(memberAt(replies[Number(place)]?.text ?? '', String(member))),
    );
  const who = filled(as).replace(/^Basic (.*:.*)$/, (_, plain: string) => `Basic ${base64(plain)}`);
  return await service.send(
    method,
    encodeURI(filled(path)).replaceAll('%25', '%'),
    body,
    who,
    headers,
  );
}

/** What an expectation that does not hold got instead; undefined for one that holds. */
export async function failureOf(service: Service, one: Expectation): Promise<string | undefined> {
  const replies: Reply[] = [];
  for (const sent of one.before ?? []) replies.push(await send(service, sent, replies));
  const reply = await send(service, one.request, replies);
  const found: string[] = [];
  const { status = 200 } = one;
  if (reply.status !== status) found.push(`status ${reply.status} and not ${status}`);
  if (one.text !== undefined && reply.text !== one.text)
    found.push(`text ${JSON.stringify(reply.text)}`);
  for (const [path, value] of Object.entries(one.members ?? {})) {
    const got = memberAt(reply.text, path);
    if (!matches(got, value)) found.push(`${path} ${JSON.stringify(got)}`);
  }
  for (const [name, value] of Object.entries(one.headers ?? {})) {
    const got = reply.headers.get(name);
    if (value instanceof RegExp ? !value.test(got ?? '') : got !== value)
      found.push(`${name}: ${got}`);
  }
  if (one.holds?.(reply) === false) found.push(`${reply.text.slice(0, 300)}`);
  return found.length === 0 ? undefined : `${found.join('; ')} (${reply.text.slice(0, 200)})`;
}

/** The member of a JSON text at a path. */
export function memberAt(text: string, path: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (const name of path.split('.'))
    value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

function matches(got: unknown, wanted: unknown): boolean {
  if (wanted instanceof RegExp) return typeof got === 'string' && wanted.test(got);
  return JSON.stringify(sorted(got)) === JSON.stringify(sorted(wanted));
}

/** The same value with members in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}

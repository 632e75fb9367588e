import { type Finding, findingAt } from './findings.ts';
import { FORMATS } from './formats.ts';

// The names of ISO 639 that the service looks for hold more words than those that Intl knows.
const OTHER_NAMES: ReadonlySet<string> = new Set([
  ...[
    'Catalan',
    'Chuang',
    'Dutch',
    'Greek',
    'Interlingua',
    'Kyrgyz',
    'Kalaallisut',
    'Limburgish',
    'Malay',
  ],
  ...[
    'Northern Sotho',
    'Norwegian Bokmål',
    'Nyanja',
    'Romanian',
    'Sinhala',
    'Spanish',
    'Swahili',
    'Uyghur',
  ],
]);

// The service knows the codes of ISO 639-2. Intl has other ones in the place of these, most of them
// of ISO 639-3.
const OTHER_CODES: ReadonlyMap<string, string> = new Map([
  ['tgl', 'tl'],
  ['twi', 'tw'],
  ...`arb ayr azj cls cmn cnr cwd drw ekk esk fat fuc gaz gug ike khk kmr knc kng kpv lvs npi ojg ory pbu pes plt prs quz
    src swc swh uzn ydd zsm zyb`
    .split(/\s+/)
    .map((code) => [code, ''] as const),
]);

/**
 * What the service makes of a language (service.md, S7); undefined where it drops it, or nobody
 * knows.
 */
export function storedLanguage(text: string): string | undefined {
  const [code = ''] = text.split('-');
  if (/^[a-z]{2}$/.test(code)) return FORMATS.language(code) === undefined ? code : undefined;
  const other = OTHER_CODES.get(code);
  if (other !== undefined) return other || text;
  if (/^[a-z]{3}$/.test(code)) return Intl.getCanonicalLocales(code)[0]?.replace(/^...$/, text);
  const name = `${code.charAt(0).toUpperCase()}${code.slice(1)}`;
  return OTHER_NAMES.has(name) ? undefined : codeOf(name);
}

/**
 * The finding about a `language` that is no code. @param registers refuses what is no tag
 * (service.md, S7).
 */
export function languageFindings(language: string, registers: boolean): Finding[] {
  const message = FORMATS.language(language);
  if (message === undefined) return [];
  const [code = ''] = language.split('-');
  const suggestion = codeOf(`${code.charAt(0).toUpperCase()}${code.slice(1)}`);
  const isKept = suggestion !== undefined || /^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/.test(language);
  const isRefused = registers && !/^\s*([a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*\s*)?$/.test(language);
  const details = {
    message,
    value: language,
    suggestion,
    ...(isKept || isRefused ? {} : { dropped: true }),
  };
  return [findingAt(isRefused ? 'error' : 'warning', ['language'], details)];
}

let codes: ReadonlyMap<string, string> | undefined;

function codeOf(name: string): string | undefined {
  codes ??= namedCodes();
  return codes.get(name);
}

function namedCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const all = letters.flatMap((first) => letters.map((second) => first + second));
  // A code that is out of date has the name of the one in its place.
  const current = all.filter((code) => Intl.getCanonicalLocales(code)[0] === code);
  return new Map(
    current.flatMap((code) => [names.of(code) ?? []].flat().map((name) => [name, code] as const)),
  );
}

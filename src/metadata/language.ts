import { type Finding, findingAt } from './findings.ts';
import { FORMATS } from './formats.ts';

// Names in Intl for which the service finds no code, because ISO 639 has longer names for them.
const OTHER_NAMES: ReadonlySet<string> = new Set(
  `Catalan, Chuang, Dutch, Greek, Interlingua, Kyrgyz, Kalaallisut, Limburgish, Malay,
   Northern Sotho, Norwegian Bokmål, Nyanja, Romanian, Sinhala, Spanish, Swahili, Uyghur`.split(
    /,\s+/,
  ),
);

// The service knows the codes of ISO 639-2. Intl replaces these codes, most of them ISO 639-3.
const OTHER_CODES: ReadonlyMap<string, string> = new Map([
  ['tgl', 'tl'],
  ['twi', 'tw'],
  ...`arb ayr azj cls cmn cnr cwd drw ekk esk fat fuc gaz gug ike khk kmr knc kng kpv lvs npi ojg
    ory pbu pes plt prs quz src swc swh uzn ydd zsm zyb`
    .split(/\s+/)
    .map((code) => [code, ''] as const),
]);

/** The language that the service stores (service.md, S7); undefined if it is dropped or unknown. */
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
 * The finding about a `language` that is not a code (service.md, S7).
 * @param registers whether the target is a registered record, which needs a language tag.
 */
export function languageFindings(language: string, registers: boolean): Finding[] {
  const isPlaceholder = PLACEHOLDER.test(language.trim());
  const message = isPlaceholder
    ? 'is probably a placeholder: leave the language out'
    : FORMATS.language(language);
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

/** Words for a missing value that are also codes of ISO 639-3, or look like codes. */
const PLACEHOLDER = /^(?:[Tt][Bb][ACDacd]|[Xx]{2,3}|UNK|unk|NaN|NAN|NUL|nul)$/;

let codes: ReadonlyMap<string, string> | undefined;

function codeOf(name: string): string | undefined {
  codes ??= namedCodes();
  return codes.get(name);
}

function namedCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const all = letters.flatMap((first) => letters.map((second) => first + second));
  // An outdated code has the name of its successor.
  const current = all.filter((code) => Intl.getCanonicalLocales(code)[0] === code);
  return new Map(
    current.flatMap((code) => [names.of(code) ?? []].flat().map((name) => [name, code] as const)),
  );
}

import { bareDoi, misspelledDoi } from '../text/doi.ts';

/** Returns the problem of a text; undefined if it is valid. */
type FormatCheck = (text: string) => string | undefined;

/** The formats of the schema, and of identifiers whose scheme is in another property. */
export const FORMATS = {
  doi,
  orcid,
  isni,
  ror,
  'crossref-funder': crossrefFunder,
  language,
  uri,
  'web-address': webAddress,
  latitude: degrees(90),
  longitude: degrees(180),
  'rkms-date': rkmsDate,
  'datacite-xml': encodedMetadata,
} satisfies Readonly<Record<string, FormatCheck>>;

export type Format = keyof typeof FORMATS;

function doi(text: string): string | undefined {
  return /^10\.\d{4,9}(\.\d+)*\/[^\s\p{Cc}]+$/u.test(bareDoi(text))
    ? misspelledDoi(text)
    : 'is not a DOI such as 10.5072/abc';
}

/** An ORCID iD: like an ISNI, 16 characters, the last a check character (ISO/IEC 7064 MOD 11-2). */
function orcid(text: string): string | undefined {
  const bare = text.trim().replace(/^https?:\/\/(www\.)?(sandbox\.)?orcid\.org\//i, '');
  if (!/^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/i.test(bare) && !/^\d{15}[\dX]$/i.test(bare)) {
    return 'is not an ORCID iD such as https://orcid.org/0000-0002-1825-0097';
  }
  return checkCharacterProblem(bare, 'an ORCID iD');
}

function isni(text: string): string | undefined {
  const bare = text.trim().replace(/^https?:\/\/(www\.)?isni\.org\/(isni\/)?/i, '');
  if (!/^(\d{4}[ -]?){3}\d{3}[\dX]$/i.test(bare))
    return 'is not an ISNI such as 0000 0001 2103 2683';
  return checkCharacterProblem(bare, 'an ISNI');
}

function checkCharacterProblem(spelled: string, what: string): string | undefined {
  const digits = spelled.replace(/[ -]/g, '').toUpperCase();
  let total = 0;
  for (const digit of digits.slice(0, -1)) total = (total + Number(digit)) * 2;
  const value = (12 - (total % 11)) % 11;
  const check = value === 10 ? 'X' : String(value);
  const reason = `with these digits the last character would be ${check}`;
  return digits.endsWith(check)
    ? undefined
    : `is not ${what}: ${reason}, so that one of them is wrong`;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** A ROR id: 0, 6 characters of Crockford's base 32, 2 check digits (ISO/IEC 7064 MOD 97-10). */
function ror(text: string): string | undefined {
  const [, id, check] =
    /^(?:https?:\/\/)?(?:www\.)?(?:ror\.org\/)?(0[0-9a-hjkmnp-tv-z]{6})(\d{2})$/i.exec(
      text.trim(),
    ) ?? [];
  if (id === undefined) return 'is not a ROR id such as https://ror.org/04wxnsj81';
  let number = 0;
  for (const letter of id.toLowerCase()) number = number * 32 + CROCKFORD.indexOf(letter);
  const expected = String(98 - ((number * 100) % 97)).padStart(2, '0');
  return expected === check
    ? undefined
    : `is not a ROR id: with these characters it would end in ${expected}`;
}

function crossrefFunder(text: string): string | undefined {
  return /^(10\.13039\/)?\d{9,12}$/.test(bareDoi(text))
    ? undefined
    : 'is not a Crossref Funder ID such as https://doi.org/10.13039/501100000780';
}

let languages: Intl.DisplayNames | undefined;

function language(text: string): string | undefined {
  if (text === '') return undefined;
  const problem = 'is not a language tag such as en, de or pt-BR (ISO 639, IETF BCP 47)';
  try {
    const { language: code } = new Intl.Locale(text);
    // Intl knows only a few hundred of the 8,000 three-letter codes of ISO 639-3.
    if (/^[a-z]{3}(-|$)/i.test(text)) return undefined;
    languages ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
    return languages.of(code) === undefined ? problem : undefined;
  } catch {
    return problem;
  }
}

function uri(text: string): string | undefined {
  if (text === '') return undefined;
  return /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i.test(text) && URL.canParse(text)
    ? undefined
    : 'is not a URI such as https://example.org/';
}

function webAddress(text: string): string | undefined {
  if (text === '') return undefined;
  const problem = 'is not an address such as https://example.org/ (http, https or ftp)';
  if (/\s/.test(text) || !URL.canParse(text)) return problem;
  const { protocol, hostname } = new URL(text);
  return ['http:', 'https:', 'ftp:'].includes(protocol) && hostname !== '' ? undefined : problem;
}

function degrees(max: number): FormatCheck {
  return (text) => {
    const value = /^[ \t\r\n]*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?[ \t\r\n]*$/i.test(text)
      ? Number(text)
      : Number.NaN;
    if (Math.abs(value) <= max) return undefined;
    return `is not a number of degrees from -${max} to ${max}, such as 47.5`;
  };
}

/** DataCite XML, or another format that the service reads: JSON, RIS, BibTeX (service.md, W16). */
function encodedMetadata(text: string): string | undefined {
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  return /^[A-Za-z0-9+/=\s_-]*$/.test(text) && /^\uFEFF?\s*(<|\{|@\w|TY {2}- )/.test(decoded)
    ? undefined
    : 'is neither DataCite XML nor another format that the service reads, in base64';
}

// W3CDTF: a year, perhaps with month, day, and time with zone. RKMS-ISO8601 adds years before 0
// and after 9999.
const TIME = String.raw`T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})`;
const DATE = new RegExp(String.raw`^([+-]?\d{4,6})(?:-(\d{2})(?:-(\d{2})(?:${TIME})?)?)?$`);

// The standard values for unknown information, in the metadata schema's appendix.
const UNKNOWN = /^\(?:(unac|unal|unap|unas|unav|unkn|none|null|tba|etal)\)?$/;

/** A date or a range of dates, which may be open on one side (W3CDTF, RKMS-ISO8601). */
function rkmsDate(text: string): string | undefined {
  if (UNKNOWN.test(text)) return undefined;
  const [from = '', to, ...more] = text.split('/');
  if (to === undefined) return oneDate(from);
  if (more.length > 0 || (from === '' && to === '')) {
    return 'is not a range of dates such as 2026-01-01/2026-05-04, 2026/ or /2026';
  }
  const wrong = [from, to]
    .filter((date) => date !== '')
    .find((date) => oneDate(date) !== undefined);
  if (wrong !== undefined) return `holds '${wrong}', which ${oneDate(wrong)}`;
  return from !== '' && to !== '' && isAfter(from, to)
    ? 'is a range that ends before it begins'
    : undefined;
}

function oneDate(text: string): string | undefined {
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00'] =
    DATE.exec(text) ?? [];
  if (year === undefined)
    return 'is not a date such as 2026, 2026-05, 2026-05-04 or 2026-05-04T10:30:00Z';
  if (Number(month) < 1 || Number(month) > 12) return 'has an invalid month';
  if (Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month)))
    return 'has an invalid day';
  return Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60
    ? 'has an invalid time'
    : undefined;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Compares the year, month and day that both dates have: `2026` is not after `2026-05`. */
function isAfter(from: string, to: string): boolean {
  const parts = (date: string) => (DATE.exec(date) ?? []).slice(1, 4).map(Number);
  const [first, second] = [parts(from), parts(to)];
  const at = first.findIndex((value, index) => value !== second[index]);
  // False for NaN, a part that only one date has.
  return Number(first[at]) > Number(second[at]);
}

import { dateComplaint } from './dates.ts';

/** Says what is wrong with a text, and undefined where nothing is. */
type Complaint = (text: string) => string | undefined;

/** The DOI in what people write for one: bare, with `doi:`, or with a resolver in front. */
export function bareDoi(text: string): string {
  return text
    .trim()
    .replace(/^(https?:\/\/(dx\.|www\.)?(doi\.org|handle\.(stage|test)\.datacite\.org)\/|doi:\s*)/i, '');
}

function doi(text: string): string | undefined {
  return /^10\.\d{4,9}(\.\d+)*\/[^\s\p{Cc}]+$/u.test(bareDoi(text))
    ? undefined
    : 'is not a DOI such as 10.5072/abc';
}

/**
 * ORCID iDs, and ISNIs, which have the same check: sixteen characters, the last of which is computed from the others
 * (ISO/IEC 7064 MOD 11-2).
 */
function orcid(text: string): string | undefined {
  const bare = text.trim().replace(/^https?:\/\/(www\.)?(sandbox\.)?orcid\.org\//i, '');
  if (!/^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/i.test(bare) && !/^\d{15}[\dX]$/i.test(bare)) {
    return 'is not an ORCID iD such as https://orcid.org/0000-0002-1825-0097';
  }
  return wrongCheck(bare, 'an ORCID iD');
}

function isni(text: string): string | undefined {
  const bare = text.trim().replace(/^https?:\/\/(www\.)?isni\.org\/(isni\/)?/i, '');
  if (!/^(\d{4}[ -]?){3}\d{3}[\dX]$/i.test(bare)) return 'is not an ISNI such as 0000 0001 2103 2683';
  return wrongCheck(bare, 'an ISNI');
}

function wrongCheck(spelled: string, what: string): string | undefined {
  const digits = spelled.replace(/[ -]/g, '').toUpperCase();
  let total = 0;
  for (const digit of digits.slice(0, -1)) total = (total + Number(digit)) * 2;
  const value = (12 - (total % 11)) % 11;
  const check = value === 10 ? 'X' : String(value);
  return digits.endsWith(check)
    ? undefined
    : `is not ${what}: with these digits the last character would be ${check}, so that one of them is wrong`;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** ROR ids: a zero, six characters of Crockford's base 32, and two digits to check them (ISO/IEC 7064 MOD 97-10). */
function ror(text: string): string | undefined {
  const [, id, check] =
    /^(?:https?:\/\/)?(?:www\.)?(?:ror\.org\/)?(0[0-9a-hjkmnp-tv-z]{6})(\d{2})$/i.exec(text.trim()) ?? [];
  if (id === undefined) return 'is not a ROR id such as https://ror.org/04wxnsj81';
  let number = 0;
  for (const letter of id.toLowerCase()) number = number * 32 + CROCKFORD.indexOf(letter);
  const wanted = String(98 - ((number * 100) % 97)).padStart(2, '0');
  return wanted === check ? undefined : `is not a ROR id: with these characters it would end in ${wanted}`;
}

function crossrefFunder(text: string): string | undefined {
  return /^(10\.13039\/)?\d{9,12}$/.test(bareDoi(text))
    ? undefined
    : 'is not a Crossref Funder ID such as https://doi.org/10.13039/501100000780';
}

let languages: Intl.DisplayNames | undefined;

function language(text: string): string | undefined {
  if (text === '') return undefined;
  const complaint = 'is not a language tag such as en, de or pt-BR (ISO 639, IETF BCP 47)';
  try {
    const { language: code } = new Intl.Locale(text);
    // Of the 8,000 codes of ISO 639-3, which have three letters, Intl knows some hundreds.
    if (/^[a-z]{3}(-|$)/i.test(text)) return undefined;
    languages ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
    return languages.of(code) === undefined ? complaint : undefined;
  } catch {
    return complaint;
  }
}

/** An absolute URI of any scheme. */
function uri(text: string): string | undefined {
  if (text === '') return undefined;
  return /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i.test(text) && URL.canParse(text)
    ? undefined
    : 'is not a URI such as https://example.org/';
}

function webAddress(text: string): string | undefined {
  const complaint = 'is not an address such as https://example.org/ (http, https or ftp)';
  if (/\s/.test(text) || !URL.canParse(text)) return complaint;
  const { protocol, hostname } = new URL(text);
  return ['http:', 'https:', 'ftp:'].includes(protocol) && hostname !== '' ? undefined : complaint;
}

function degrees(most: number): Complaint {
  return (text) => {
    const value = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN;
    return Math.abs(value) <= most ? undefined : `is not a number of degrees from -${most} to ${most}`;
  };
}

function dataciteXml(text: string): string | undefined {
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  return /^[A-Za-z0-9+/=\s_-]*$/.test(text) && /^\uFEFF?\s*</.test(decoded)
    ? undefined
    : 'is not an XML document in base64';
}

/** The formats that the schema names, and those that depend on another property, by name. */
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
  'rkms-date': dateComplaint,
  'datacite-xml': dataciteXml,
} satisfies Readonly<Record<string, Complaint>>;

export type Format = keyof typeof FORMATS;

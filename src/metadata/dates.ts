// W3CDTF: a year, then month, day and a time with its zone, each only behind the one before. RKMS-ISO8601 adds years
// before the year 0 and beyond 9999.
const DATE =
  /^([+-]?\d{4,6})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2}))?)?)?$/;

const FORM = 'is not a date such as 2026, 2026-05, 2026-05-04 or 2026-05-04T10:30:00Z';

/** What is wrong with a date or a range of dates, open on one side perhaps (W3CDTF, RKMS-ISO8601). */
export function dateComplaint(text: string): string | undefined {
  const [from = '', to, ...more] = text.split('/');
  if (to === undefined) return oneDate(from);
  if (more.length > 0 || (from === '' && to === '')) {
    return 'is not a range of dates such as 2026-01-01/2026-05-04, 2026/ or /2026';
  }
  const wrong = [from, to].filter((date) => date !== '').find((date) => oneDate(date) !== undefined);
  if (wrong !== undefined) return `holds '${wrong}', which ${oneDate(wrong)}`;
  return from !== '' && to !== '' && isAfter(from, to) ? 'is a range that ends before it begins' : undefined;
}

function oneDate(text: string): string | undefined {
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00'] = DATE.exec(text) ?? [];
  if (year === undefined) return FORM;
  if (Number(month) < 1 || Number(month) > 12) return 'has no such month';
  if (Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month))) return 'has no such day';
  return Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60 ? 'has no such time' : undefined;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Compares as far as both tell: `2026` is not after `2026-05`. */
function isAfter(from: string, to: string): boolean {
  const [first, second] = [from, to].map((date) => DATE.exec(date)?.slice(1, 4).map(Number) ?? []);
  for (const [index, value] of (first ?? []).entries()) {
    const other = second?.[index];
    if (other === undefined || Number.isNaN(value) || Number.isNaN(other)) return false;
    if (value !== other) return value > other;
  }
  return false;
}

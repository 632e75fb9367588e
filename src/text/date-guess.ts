const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS_OF: Readonly<Record<string, number>> = { day: 1, d: 1, week: 7, w: 7, month: 30 };
const YEAR_DAYS = 365;

/** What a date or a range in another notation probably means; undefined without a guess. */
export function guessDate(typed: string): string | undefined {
  const text = typed.trim().toLowerCase();
  return single(text) ?? age(text) ?? open(text) ?? between(text);
}

/** The ISO date for `01.05.2024`, `2024/5/1`, `20240501`, `1 May 2024` or `2024-05-01 12:00`. */
function single(text: string): string | undefined {
  const [, year, month, day] =
    /^(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?$/.exec(text) ??
    /^(\d{4})(\d\d)(\d\d)$/.exec(text) ??
    [];
  if (year !== undefined) return isoDate(year, month, day);
  const [, first = '', second = '', last] =
    /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text) ?? [];
  if (last !== undefined) {
    // With slashes, the month may come first.
    const orders = [isoDate(last, second, first), isoDate(last, first, second)];
    const dates = new Set(orders.filter((date) => date !== undefined));
    return [...dates].slice(0, text.includes('/') ? 2 : 1).join(' or ') || undefined;
  }
  const [, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(:\d\d)?)$/.test(text)
    ? ['', text.replace(' ', 't').toUpperCase()]
    : [];
  return time ?? withMonthName(text);
}

/** `May 2024`, `1 May 2024`, `May 1, 2024`. */
function withMonthName(text: string): string | undefined {
  const [year] = /\b\d{4}\b/.exec(text) ?? [];
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name}[a-z]*\\b`).test(text)) + 1;
  const others = text.replace(/\b\d{4}\b|[a-z]+|[\s.,-]/g, '');
  if (year === undefined || month === 0 || !/^\d{0,2}$/.test(others)) return undefined;
  return isoDate(year, `${month}`, others || undefined);
}

function isoDate(year: string, month = '', day?: string): string | undefined {
  const parts = day === undefined ? [month] : [month, day];
  const text = [year, ...parts.map((part) => part.padStart(2, '0'))].join('-');
  const date = new Date(text);
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isReal ? text : undefined;
}

/** The range for `-7d`, `7 days`, `last 2 weeks` or `last year`. */
function age(text: string): string | undefined {
  if (text === 'yesterday') return '1d..';
  const [, count, unit = ''] =
    /^(?:[-+<]|last |past )?(\d+)?\s*(d|day|w|week|month|mo|y|year|h|hour|hr)s?(?: ago)?$/.exec(
      text,
    ) ?? [];
  if (unit === '' || (count === undefined && !/^(last|past) /.test(text))) return undefined;
  if (unit.startsWith('h')) return `${count ?? 1}h..`;
  const days = unit.startsWith('y') ? YEAR_DAYS : (DAYS_OF[unit] ?? DAYS_OF['month'] ?? 1);
  return `${Number(count ?? 1) * days}d..`;
}

/** The range for `>2024`, `since 2024`, `2024-` or `<2024`. */
function open(text: string): string | undefined {
  const [, from = ''] = /^(?:>=?|since |after |from )\s*(.+)$/.exec(text) ?? [];
  const [, until = ''] = /^(?:<=?|until |before |to |-)\s*(.+)$/.exec(text) ?? [];
  const [, start = ''] = /^(\d{4}(?:-\d\d){0,2})\s*[-+:,/]$/.exec(text) ?? [];
  const [since, end] = [bound(from || start), bound(until)];
  if (since !== undefined) return `${since}..`;
  return end === undefined ? undefined : `..${end}`;
}

/** The range for `2024-2025`, `2024-01-01/2024-02-01`, `2024 to 2025` or `2024...2025`. */
function between(text: string): string | undefined {
  const [, first = '', last = ''] =
    /^\[?(.+?)(?:\s*(?:\.{3}|…|–|—|[:/,])\s*|\s+(?:to|-|until|and)\s+)(.+?)[\]}]?$/.exec(text) ??
    /^(\d{4})-(\d{4})$/.exec(text) ??
    /^(.+?)\.\.(.+)$/.exec(text) ??
    [];
  const [from, until] = [first, last].map(bound);
  if (from === undefined || (until === undefined && !/^(now|today|\*)$/.test(last)))
    return undefined;
  return `${from}..${until ?? ''}`;
}

/** A bound of a range: an ISO date or a year, in any notation. */
function bound(text: string): string | undefined {
  if (/^\d{4}(-\d\d(-\d\d(t[\d:.]+z?)?)?)?$/.test(text)) return text.toUpperCase();
  const date = single(text);
  return date?.includes(' ') ? undefined : date;
}

const SECONDS_PER_DAY = 86_400;
const days = new Map<number, string>();
const PAIRS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** Seconds since 1970 as the service writes times: `2024-09-23T11:30:29Z`. */
export function isoSeconds(seconds: number): string {
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  const rest = seconds - day * SECONDS_PER_DAY;
  const hour = Math.floor(rest / 3600);
  const minute = Math.floor((rest % 3600) / 60);
  return `${dayText(day)}T${PAIRS[hour]}:${PAIRS[minute]}:${PAIRS[rest % 60]}Z`;
}

// Cached: a page contains thousands of times on a few thousand days, and printing a Date is slow.
function dayText(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10);
  days.set(day, text);
  return text;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const clock = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';
const forms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${clock} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${clock} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${clock} (?<year>\\d{4})$`),
];

/** What was parsed last: hundreds of responses in a row have the same Date. */
let latest: { readonly text: string; readonly time: number } | undefined;

/**
 * Milliseconds since 1970 of an HTTP-date in any of its three forms (RFC 9110, section 5.6.7), or undefined.
 * `now` places the two-digit years of the oldest form: at most 50 years ahead.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  if (text === latest?.text) return latest.time;
  // The form that is in use, at once.
  const time = Date.parse(text);
  if (!Number.isNaN(time) && new Date(time).toUTCString() === text) {
    latest = { text, time };
    return time;
  }
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    if (parts) return toTime(parts, now);
  }
  return undefined;
}

function toTime(parts: Record<string, string>, now: number): number | undefined {
  const { year = '', month = '', day, hour, minute, second } = parts;
  const [d, h, m, s] = [Number(day), Number(hour), Number(minute), Number(second)];
  if (h > 23 || m > 59 || s > 60) return undefined;
  const fullYear = year.length === 2 ? placeYear(Number(year), now) : Number(year);
  const date = new Date(Date.UTC(fullYear, months.indexOf(month), d, h, m, s));
  // Date.UTC takes years below 100 for 19xx and rolls 31 February over; neither is a date.
  return date.getUTCFullYear() >= 100 && (s === 60 || date.getUTCDate() === d)
    ? date.getTime()
    : undefined;
}

function placeYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

import { isoTime } from './iso-time.ts';
import { thousands } from './number.ts';

/** "15:04:05Z", from ms since 1970: in UTC, as in events and logs, so that any two times can be compared. */
export function clockTime(ms: number): string {
  return isoTime(ms).slice('2026-11-20T'.length);
}

/** "42s", "12m 5s", "30h", "4d 3h": the two largest units, rounded up to the second; days from two on. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return units(minutes, 'm', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? units(hours, 'h', minutes % 60, 'm')
    : units(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** "0:41" or "7:03:20", as a countdown shows it. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${twoDigits(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}

/** How long something took: "0.4s", "12s", "1m 02s", "2h 05m". */
export function timeTaken(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${twoDigits(seconds % 60)}s`
    : `${thousands(Math.floor(minutes / 60))}h ${twoDigits(minutes % 60)}m`;
}

function units(large: number, name: string, small: number, smallName: string): string {
  return small === 0 ? `${large}${name}` : `${large}${name} ${small}${smallName}`;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}

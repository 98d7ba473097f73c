const MINUTE_MS = 60_000

/** A time as a control for date and time shows it: in the local time zone, to the minute. */
export function localTime(ms: number): string {
  const at = new Date(ms)
  return Number.isNaN(at.getTime()) ? '' : new Date(ms - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** What such a control holds, as the API takes it. */
export const msOf = (text: string): string => String(new Date(text).getTime())

/** An amount of money in millionths of its currency: whole numbers, so that sums are exact. */
export type Micros = number

/** Limit: the largest amount of money that is accepted, in millionths: a billion; sums stay exact far beyond. */
export const MAX_MICROS = 1e15

/** Reads an amount such as `25`, `0.005` or `12.50`; undefined for anything else, or more than a billion. */
export function parseMoney(text: string): Micros | undefined {
  const [, whole, fraction = ''] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const micros = Number(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'))
  return micros <= MAX_MICROS ? micros : undefined
}

/** Writes an amount with two decimals, or as many as it needs: `25.00`, `0.005`. */
export function formatMoney(micros: Micros): string {
  const amount = Math.abs(micros)
  let fraction = String(amount % 1_000_000).padStart(6, '0')
  while (fraction.length > 2 && fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return `${micros < 0 ? '-' : ''}${Math.floor(amount / 1_000_000)}.${fraction}`
}

/** The month of a time, in UTC: `2026-11`. */
export function monthOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 7)
}

/** When the next month begins, in UTC. */
export function nextMonthAt(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
}

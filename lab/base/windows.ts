import type { ServiceClock } from './clock.ts'

export interface OpenWindow {
  count: number
  endMs: number
}

/** The window of this length that is open for a key; windows begin at multiples of their length. */
export type Windows = (key: string, lengthMs: number) => OpenWindow

export function createWindows(clock: ServiceClock): Windows {
  const windows = new Map<string, OpenWindow & { at: number }>()
  return (key, lengthMs) => {
    const at = Math.floor(clock.now() / lengthMs)
    const before = windows.get(key)
    const window = before?.at === at ? before : { at, count: 0, endMs: (at + 1) * lengthMs }
    windows.set(key, window)
    return window
  }
}

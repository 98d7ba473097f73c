import type { Clock } from '../clock.ts'
import { escapeControls } from '../formats/escape-controls.ts'
import { createLogCounts, type LogCount, type LogCounts } from './log-counts.ts'
import { redact } from './redact.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export type Fields = Record<string, unknown>

export interface Log {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** Whether debug lines are written, so that callers can skip building them. */
  readonly debugEnabled: boolean
  /** A log that adds these fields to every line. */
  with(fields: Fields): Log
  /** Warnings and errors so far, including those that the level suppresses. */
  counts(): LogCount[]
}

export interface LogOptions {
  level: LogLevel
  format: 'json' | 'text'
  clock: Clock
  write: (line: string) => void
}

/** Writes one line per event; every field is redacted. */
export function createLog(options: LogOptions): Log {
  return bind(options, {}, createLogCounts())
}

function bind(options: LogOptions, bound: Fields, counts: LogCounts): Log {
  const minimum = LOG_LEVELS.indexOf(options.level)
  const line = (level: LogLevel) => {
    if (LOG_LEVELS.indexOf(level) < minimum) return () => {}
    return (message: string, fields?: Fields) => {
      const safe = redact({ ...bound, ...fields }) as Fields
      const text = redact(message) as string
      const time = new Date(options.clock.now()).toISOString()
      options.write(options.format === 'json' ? json(time, level, text, safe) : plain(time, level, text, safe))
    }
  }
  const counted = (level: LogCount['level']) => {
    const write = line(level)
    return (message: string, fields?: Fields) => {
      counts.add(level, message)
      write(message, fields)
    }
  }
  return {
    debugEnabled: minimum <= LOG_LEVELS.indexOf('debug'),
    debug: line('debug'),
    info: line('info'),
    warn: counted('warn'),
    error: counted('error'),
    with: (fields) => bind(options, { ...bound, ...fields }, counts),
    counts: () => counts.all(),
  }
}

function json(time: string, level: LogLevel, message: string, fields: Fields): string {
  // Set again at the end, so that no field can replace one of the three.
  return `${JSON.stringify(Object.assign({ time, level, message }, fields, { time, level, message }))}\n`
}

function plain(time: string, level: LogLevel, message: string, fields: Fields): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${escapeControls([message, ...parts].join('  '))}\n`
}

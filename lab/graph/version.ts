import { unknownPath } from './graph-error.ts'

/** Since 29 July 2026. */
export const currentVersion = 'v26.0'
const newest = 26
const oldest = 21

/** Splits an optional version off the path. The default is the current version. */
export function versionedPath(path: string): [version: string, segments: string[]] {
  const segments = path.split('/').filter((part) => part !== '')
  const named = /^v(\d+)\.\d+$/.exec(segments[0] ?? '')
  if (!named) return [currentVersion, segments]
  // An expired version is served as the oldest supported one; a future version is an error.
  const number = Number(named[1])
  if (number > newest) throw unknownPath(segments[0] ?? '')
  return [number < oldest ? `v${oldest}.0` : (segments[0] ?? ''), segments.slice(1)]
}

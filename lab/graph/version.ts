import { unknownPath } from './graph-error.ts'

/** Since 29 July 2026. */
export const currentVersion = 'v26.0'
const newest = 26
const oldest = 21

/** Paths may begin with a version; without one the current version answers. */
export function versionedPath(path: string): [version: string, segments: string[]] {
  const segments = path.split('/').filter((part) => part !== '')
  const named = /^v(\d+)\.\d+$/.exec(segments[0] ?? '')
  if (!named) return [currentVersion, segments]
  // A version past its end answers as the oldest living one; a version to come does not exist.
  const number = Number(named[1])
  if (number > newest) throw unknownPath(segments[0] ?? '')
  return [number < oldest ? `v${oldest}.0` : (segments[0] ?? ''), segments.slice(1)]
}

import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

/** A test file, and the database it runs on. */
export interface FileRun {
  path: string
  /** The database, as reports name it. */
  on: string
  env: Record<string, string>
  /** The file has a process of its own. */
  isAlone: boolean
}

/** The name of a file in reports. */
export function nameOf(root: string, { path, on }: Pick<FileRun, 'path' | 'on'>): string {
  return `${relative(root, path)} (${on})`
}

/**
 * What a file changes, measures or lists in its process. Connectors read variables once, when they are loaded; statements
 * are listed of all files that the process has loaded; a library keeps a timer that a test replaced, which never fires again.
 */
const CHANGES_ITS_PROCESS =
  /process\.env\[[^\]]+\] = |delete process\.env|globalThis\.\w+ = |mock\.timers|syncBuiltinESMExports|memoryUsage|knownStatements\(\)\.filter|process\.(on|once|chdir|umask)\(/

/** Whether a test file, or a file of the tests that it imports, changes or measures its process. */
export function changesItsProcess(root: string, path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  if (CHANGES_ITS_PROCESS.test(text)) return true
  const imported = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, name = '']) => resolve(dirname(path), name))
  return imported.some((each) => relative(root, each).startsWith('test') && changesItsProcess(root, each, seen))
}

import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

export interface FileRun {
  path: string
  /** The database, as reports name it. */
  on: string
  env: Record<string, string>
  /** The file does not start before this resolves. */
  after?: Promise<unknown>
}

/** Test files that run one after another in one process. */
export interface ProcessRun {
  files: [FileRun, ...FileRun[]]
}

/** The name of a file in reports. */
export function nameOf(root: string, { path, on }: Pick<FileRun, 'path' | 'on'>): string {
  return `${relative(root, path)} (${on})`
}

/**
 * What a file changes, measures or lists in its process. Connectors read variables once, when they are loaded; statements
 * are listed of all files that the process has loaded.
 */
const CHANGES_ITS_PROCESS =
  /process\.env\[[^\]]+\] = |delete process\.env|globalThis\.\w+ = |mock\.timers|memoryUsage|knownStatements|process\.(on|once|chdir|umask)\(/
/** A longer group would run alone at the end. */
const MAX_GROUP_SECONDS = 40
/** Assumed for a file without a recorded duration: of tests over the service, and of tests beside a source. */
const [UNKNOWN_SECONDS, UNKNOWN_UNIT_SECONDS] = [4, 0.4]

/**
 * Distributes files over processes. Loading the service takes a second, so files share a process; those that change or
 * measure their process have one of their own, as have those in `alone`.
 */
export function groupFiles(
  root: string,
  files: FileRun[],
  { alone, seconds }: { alone: ReadonlySet<string>; seconds: ReadonlyMap<string, number> },
): ProcessRun[] {
  const groups: ProcessRun[] = []
  const open = new Map<string, { group: ProcessRun; seconds: number }>()
  for (const file of files) {
    const assumed = isOfTests(root, file.path) ? UNKNOWN_SECONDS : UNKNOWN_UNIT_SECONDS
    const duration = seconds.get(nameOf(root, file)) ?? assumed
    if (alone.has(file.path) || changesItsProcess(root, file.path)) {
      groups.push({ files: [file] })
      continue
    }
    const last = open.get(file.on)
    if (last !== undefined && last.seconds + duration <= MAX_GROUP_SECONDS) {
      last.group.files.push(file)
      last.seconds += duration
      continue
    }
    const group: ProcessRun = { files: [file] }
    groups.push(group)
    open.set(file.on, { group, seconds: duration })
  }
  return groups
}

/** Whether a test file, or a file of the tests that it imports, changes or measures its process. */
export function changesItsProcess(root: string, path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false
  seen.add(path)
  const text = readFileSync(path, 'utf8')
  if (CHANGES_ITS_PROCESS.test(text)) return true
  const imported = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, name = '']) => resolve(dirname(path), name))
  return imported.some((each) => isOfTests(root, each) && changesItsProcess(root, each, seen))
}

function isOfTests(root: string, path: string): boolean {
  return relative(root, path).startsWith('test')
}

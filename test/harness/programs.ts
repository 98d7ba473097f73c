import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Why a test is skipped that runs these programs: the ones that are not on the path. False if all of them are. */
export function programsMissing(...programs: string[]): string | false {
  const missing = programs.filter((program) => !isOnPath(program))
  return missing.length > 0 && `needs ${missing.join(', ')}`
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      // Not in this folder.
      return false
    }
  })
}

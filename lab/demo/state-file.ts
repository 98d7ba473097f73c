import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'

/** A JSON file that is replaced as a whole: whenever the process ends, the file is the former or the new one. */
export interface StateFile {
  read(): unknown
  write(state: unknown): void
}

export function stateFile(path: string): StateFile {
  let written: string | undefined
  return {
    read() {
      if (!existsSync(path)) return undefined
      written = readFileSync(path, 'utf8')
      return JSON.parse(written)
    },
    write(state) {
      const text = JSON.stringify(state)
      if (text === written) return
      const beside = `${path}.new`
      const file = openSync(beside, 'w', 0o600)
      try {
        writeSync(file, text)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(beside, path)
      written = text
    },
  }
}

import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demoSockets } from '#flows/operations/demo.ts'
import { SetupError } from '#platform/errors.ts'

/** Limit: bytes of a socket's path, by the operating system; with a longer data folder the sockets are in the temporary folder. */
const MAX_SOCKET_PATH_BYTES = 100
const LONGEST_NAME = 'demo-health.sock'

/** Where the demo services keep their state. */
export const demoFolder = (dataDir: string): string => join(dataDir, 'demo')

/** Where the demo services listen. Derived from the data folder, so that every process on it knows it. */
export function demoSocketFolder(dataDir: string): string {
  const folder = demoFolder(dataDir)
  if (Buffer.byteLength(join(folder, LONGEST_NAME)) <= MAX_SOCKET_PATH_BYTES) return folder
  return join(tmpdir(), `tributary-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`)
}

/** Only the owner may open the sockets. A folder in the temporary folder may be somebody else's. */
export function makeDemoFolders(dataDir: string): void {
  for (const folder of [demoFolder(dataDir), demoSocketFolder(dataDir)]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = lstatSync(folder)
    if (!found.isDirectory() || found.uid !== process.getuid?.())
      throw new SetupError(`The folder ${folder} of the demo belongs to another user.`, {
        code: 'folder_refused',
        help: 'Choose another data folder: TRIBUTARY_DATA',
      })
    chmodSync(folder, 0o700)
  }
}

/** The sockets of the demo services by host name, for the egress guard. */
export const demoSocketsOf = (dataDir: string): Record<string, string> =>
  demoSockets((service) => join(demoSocketFolder(dataDir), `${service}.sock`))

import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomSecret } from '#platform/crypto/ids.ts'
import { KEY_BYTES } from '#platform/crypto/sealing.ts'
import { weaknessOf } from '#platform/crypto/weak-secret.ts'
import { codeOf, reasonOf, SetupError } from '#platform/errors.ts'

/** Content of the key file. The first key seals; the others only open what they sealed. */
export interface KeyFile {
  keys: Buffer[]
  /** Password of the embedded database. */
  databasePassword: string
}

const FILE = 'keyring.json'

export function keyFilePath(dataDir: string): string {
  return join(dataDir, FILE)
}

/** Reads the key file. Creates it if it is missing and the folder has no database that was sealed with a lost one. */
export function openKeyFile(dataDir: string): KeyFile {
  const path = keyFilePath(dataDir)
  const found = readKeyFile(path)
  if (found !== undefined) return found
  if (existsSync(join(dataDir, 'postgres'))) throw keyFileLost(path, dataDir)
  try {
    writeKeyFile(path, { keys: [randomBytes(KEY_BYTES)], databasePassword: randomSecret() }, { mustBeNew: true })
  } catch (error) {
    // Another process created it first: its keys are used.
    if (codeOf(error) !== 'EEXIST') throw keyFileUnwritable(path, dataDir, error)
  }
  return readKeyFile(path)!
}

export function readKeyFile(path: string): KeyFile | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new SetupError(`The key file ${path} cannot be read (${codeOf(error)}).`, {
      code: 'key_file_unreadable',
      help: `Give this user read access: chown "$(id -un)" ${path} && chmod 600 ${path}`,
      cause: error,
    })
  }
  checkMode(path)
  return parse(path, text)
}

/** Writes a new file and renames it over the old one: a crash leaves either the old keys or the new ones. */
export function writeKeyFile(path: string, file: KeyFile, options: { mustBeNew?: boolean } = {}): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const fd = openSync(draft, 'wx', 0o600)
  try {
    writeSync(
      fd,
      `${JSON.stringify({ keys: file.keys.map((key) => key.toString('base64')), database_password: file.databasePassword }, null, 2)}\n`,
    )
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  if (!options.mustBeNew) {
    renameSync(draft, path)
    return
  }
  try {
    linkSync(draft, path)
  } finally {
    rmSync(draft)
  }
}

/** Keys from `TRIBUTARY_KEY`: one or several in base64, comma-separated, the one that seals first. */
export function parseKeys(text: string): Buffer[] {
  const keys = text.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64')
    if (key.length === KEY_BYTES) return key
    throw new SetupError(`TRIBUTARY_KEY must be ${KEY_BYTES} bytes in base64, but has ${key.length}.`, {
      code: 'key_malformed',
      help: 'Generate one with: openssl rand -base64 32',
    })
  })
  const weaknesses = keys.map(weaknessOf)
  // A weak key is accepted next to a strong one, so that a rotation can open what it sealed.
  if (weaknesses.every((weakness) => weakness !== undefined))
    throw new SetupError(`TRIBUTARY_KEY is too easy to guess: it ${weaknesses[0]}.`, {
      code: 'key_weak',
      help: 'Generate one with: openssl rand -base64 32\nIf this key already sealed something, set TRIBUTARY_KEY=new,old and then run: tributary keyring rotate',
    })
  return keys
}

/** Said beside other problems; alone, a key is refused where it is used, with what helps. */
export function problemsOfKeys(text: string | undefined): string[] {
  try {
    if (text !== undefined) parseKeys(text)
    return []
  } catch (error) {
    return [reasonOf(error)]
  }
}

function parse(path: string, text: string): KeyFile {
  try {
    const value = JSON.parse(text) as { keys: string[]; database_password: string }
    const keys = value.keys.map((key) => Buffer.from(key, 'base64'))
    if (
      keys.length > 0 &&
      keys.every((key) => key.length === KEY_BYTES) &&
      typeof value.database_password === 'string'
    ) {
      return { keys, databasePassword: value.database_password }
    }
  } catch {
    // Reported below, like every other damage.
  }
  throw new SetupError(`The key file ${path} is damaged.`, {
    code: 'key_file_damaged',
    help: `Restore it from your backup: cp /path/to/backup/${FILE} ${path}`,
  })
}

// Other users of the machine must not read the keys. If we can correct the mode ourselves, we do.
function checkMode(path: string): void {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    throw new SetupError(`The key file ${path} can be read by other users of this machine.`, {
      code: 'key_file_open',
      help: `Remove their access: chmod 600 ${path}`,
      cause: error,
    })
  }
}

function keyFileUnwritable(path: string, dataDir: string, cause: unknown): SetupError {
  return new SetupError(`The key file ${path} cannot be created (${codeOf(cause)}).`, {
    code: 'key_file_unwritable',
    help: `Make this user the owner of the folder: sudo install -d -o "$(id -un)" -m 700 ${dataDir}\nOr choose another folder: --data DIR`,
    cause,
  })
}

function keyFileLost(path: string, dataDir: string): SetupError {
  return new SetupError(`The key file ${path} is missing, but the database in ${dataDir} was sealed with it.`, {
    code: 'key_file_lost',
    help: `Restore it from your backup: cp /path/to/backup/${FILE} ${path}\nWithout it the stored tokens cannot be opened. To start over: mv ${dataDir} ${dataDir}.old`,
  })
}

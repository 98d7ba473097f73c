import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomSecret } from '#platform/crypto/ids.ts'
import { weaknessOf } from '#platform/crypto/weak-secret.ts'
import { codeOf, SetupError } from '#platform/errors.ts'

/** Limit: characters of an admin token; a shorter one is refused at start. */
const MIN_CHARS = 24

/** The admin token from the settings, or else from a file in the data folder that only its owner can read. */
export function readAdminToken(
  setting: string | undefined,
  dataDir: string,
): { token: string; file: string | undefined } {
  if (setting !== undefined) return { token: setting, file: undefined }
  const file = join(dataDir, 'admin-token')
  try {
    if (!existsSync(file)) createFile(file)
    chmodSync(file, 0o600)
    const token = readFileSync(file, 'utf8').trim()
    if (token.length >= MIN_CHARS) return { token: requireHardToGuess(token, file), file }
  } catch (error) {
    if (error instanceof SetupError) throw error
    throw new SetupError(`The admin token in ${file} cannot be read (${codeOf(error)}).`, {
      code: 'admin_token_unreadable',
      help: `Make this user the owner of the file: chown "$(id -un)" ${file} && chmod 600 ${file}`,
      cause: error,
    })
  }
  throw new SetupError(`The admin token in ${file} is shorter than ${MIN_CHARS} characters.`, {
    code: 'admin_token_damaged',
    help: `Delete the file; the next start creates a new one: rm ${file}`,
  })
}

function requireHardToGuess(token: string, file: string): string {
  const weakness = weaknessOf(Buffer.from(token))
  if (weakness === undefined) return token
  throw new SetupError(`The admin token in ${file} is too easy to guess: it ${weakness}.`, {
    code: 'admin_token_weak',
    help: `Delete the file; the next start creates a new one: rm ${file}`,
  })
}

// Written under another name first, so that no other process reads half a token.
function createFile(file: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `tra_${randomSecret()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    // Another process created it first: its token is used.
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

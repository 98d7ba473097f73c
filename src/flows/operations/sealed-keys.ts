import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { KEY_BYTES } from '#platform/crypto/sealing.ts'
import { SetupError } from '#platform/errors.ts'
import type { SealedKeys } from '#store/backup/write-backup.ts'

// About 0.1 s and 64 MB for each guess of a passphrase.
const COST = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }
const TAG_BYTES = 16

/** Encrypts the sealing keys with a passphrase. */
export function sealKeys(keys: readonly Buffer[], passphrase: string): SealedKeys {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, KEY_BYTES, COST), nonce)
  const data = Buffer.concat([cipher.update(Buffer.concat(keys)), cipher.final()])
  const text = (bytes: Buffer) => bytes.toString('base64')
  return { salt: text(salt), nonce: text(nonce), tag: text(cipher.getAuthTag()), data: text(data) }
}

export function openKeys({ salt, nonce, tag, data }: SealedKeys, passphrase: string): Buffer[] {
  const bytes = (text: string) => Buffer.from(text, 'base64')
  try {
    const key = scryptSync(passphrase, bytes(salt), KEY_BYTES, COST)
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(nonce), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(bytes(tag))
    const keys = Buffer.concat([decipher.update(bytes(data)), decipher.final()])
    return Array.from({ length: keys.length / KEY_BYTES }, (_, i) => keys.subarray(i * KEY_BYTES, (i + 1) * KEY_BYTES))
  } catch (error) {
    throw new SetupError('The passphrase does not open the keys in the backup.', {
      code: 'backup_passphrase',
      help: 'Give the file with the passphrase that the backup was created with. Nothing was changed.',
      cause: error,
    })
  }
}

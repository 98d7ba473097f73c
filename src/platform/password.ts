import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { createSemaphore } from './semaphore.ts'

/** OWASP's parameters for scrypt: 64 MiB and about a fifth of a second for each guess. */
const COST = { N: 65_536, r: 8, p: 2 }
const HASH_BYTES = 32
const SALT_BYTES = 16
const MEMORY = 160 * 1024 * 1024
/** Limit: passwords that one process hashes at once, each with 64 MiB and a thread; the others wait. */
const MAX_HASHES = 2
/** Limit: passwords that wait to be hashed; further ones are refused. */
const MAX_WAITING = 30

const turns = createSemaphore(MAX_HASHES)
let waiting = 0

/** Too many passwords are being hashed. */
export class PasswordsBusy extends Error {
  constructor() {
    super('too many passwords are being compared')
    this.name = 'PasswordsBusy'
  }
}

/** The hash with its parameters and salt: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string | Uint8Array): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, HASH_BYTES, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the password has this hash. Without a hash it takes the same time, so that the time reveals nothing. */
export async function isPassword(password: string | Uint8Array, encoded: string | undefined): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = (encoded ?? '').split('$')
  const isKnown = kind === 'scrypt'
  const expected = isKnown ? Buffer.from(hash, 'base64url') : Buffer.alloc(HASH_BYTES)
  const cost = isKnown ? { N: Number(N), r: Number(r), p: Number(p) } : COST
  const found = await derive(password, Buffer.from(salt, 'base64url'), expected.length, cost)
  return isKnown && timingSafeEqual(found, expected)
}

/** In a thread of its own, and not more than a few at once, so that guesses cannot take all memory and threads. */
async function derive(
  password: string | Uint8Array,
  salt: Uint8Array,
  bytes: number,
  cost: ScryptOptions,
): Promise<Buffer> {
  if (waiting >= MAX_WAITING) throw new PasswordsBusy()
  waiting += 1
  try {
    return await turns.run(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          scrypt(password, salt, bytes, { ...cost, maxmem: MEMORY }, (error, key) =>
            error === null ? resolve(key) : reject(error),
          )
        }),
    )
  } finally {
    waiting -= 1
  }
}

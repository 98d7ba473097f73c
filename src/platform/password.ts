import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createSemaphore } from './semaphore.ts'

/** OWASP's parameters for scrypt: 64 MiB and about a fifth of a second for each guess. */
const COST: PasswordCost = { N: 65_536, r: 8, p: 2 }
const HASH_BYTES = 32
const SALT_BYTES = 16
const MEMORY = 160 * 1024 * 1024
/** Limit: passwords of strangers, and of callers who are known, that one process hashes at once, each with 64 MiB and a thread; the others wait. */
const MAX_HASHES = 1
/** Limit: passwords of each of these two groups that wait to be hashed; further ones are refused. */
const MAX_WAITING = 30

/** Parameters of scrypt. */
export type PasswordCost = Record<'N' | 'r' | 'p', number>

/** Callers who proved something already do not wait behind strangers, who may be many and guess. */
type PasswordQueue = 'strangers' | 'known'

const queues = {
  strangers: { turns: createSemaphore(MAX_HASHES), waiting: 0 },
  known: { turns: createSemaphore(MAX_HASHES), waiting: 0 },
}

/** Too many passwords are being hashed. */
export class PasswordsBusy extends Error {
  constructor() {
    super('too many passwords are being compared')
    this.name = 'PasswordsBusy'
  }
}

/** Of a new password, whose owner is known. The hash with its parameters and salt: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string | Uint8Array, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive('known', password, salt, HASH_BYTES, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the password has this hash. Without a hash it takes the same time, so that the time reveals nothing. */
export async function isPassword(
  password: string | Uint8Array,
  encoded: string | undefined,
  queue: PasswordQueue = 'strangers',
  unknownCost = COST,
): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = (encoded ?? '').split('$')
  const isKnown = kind === 'scrypt'
  const expected = isKnown ? Buffer.from(hash, 'base64url') : Buffer.alloc(HASH_BYTES)
  const cost = isKnown ? { N: Number(N), r: Number(r), p: Number(p) } : unknownCost
  const found = await derive(queue, password, Buffer.from(salt, 'base64url'), expected.length, cost)
  return isKnown && timingSafeEqual(found, expected)
}

/** In a thread of its own, and not more than a few at once, so that guesses cannot take all memory and threads. */
async function derive(
  name: PasswordQueue,
  password: string | Uint8Array,
  salt: Uint8Array,
  bytes: number,
  cost: PasswordCost,
): Promise<Buffer> {
  const queue = queues[name]
  if (queue.waiting >= MAX_WAITING) throw new PasswordsBusy()
  queue.waiting += 1
  try {
    return await queue.turns.run(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          scrypt(password, salt, bytes, { ...cost, maxmem: MEMORY }, (error, key) =>
            error === null ? resolve(key) : reject(error),
          )
        }),
    )
  } finally {
    queue.waiting -= 1
  }
}

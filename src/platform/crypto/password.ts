import crypto from 'node:crypto'
import { promisify } from 'node:util'
import { createSemaphore } from '../waiting/semaphore.ts'

/** OWASP's parameters for argon2id, of its equal choices the one with the most memory: 46 MiB and 70 ms of a processor for each guess. */
const COST: PasswordCost = { memory: 47_104, passes: 1, parallelism: 1 }
/** The parameters of the scrypt hashes that earlier releases stored: 64 MiB for each guess. */
const SCRYPT_COST: Numbers = [65_536, 8, 2]
const SCRYPT_MEMORY = 160 * 1024 * 1024
const HASH_BYTES = 32
const SALT_BYTES = 16
/** Limit: passwords of strangers, and of callers who are known, that one process hashes at once, each with at most 64 MiB and a thread; the others wait. */
const MAX_HASHES = 1
/** Limit: passwords of each of these two groups that wait to be hashed; further ones are refused. */
const MAX_WAITING = 30

/** Parameters of argon2id; the memory is in KiB. */
export type PasswordCost = Record<'memory' | 'passes' | 'parallelism', number>

type Numbers = [number, number, number]
type Derive = (password: string | Uint8Array, salt: Uint8Array, numbers: Numbers) => Promise<Buffer>
type Form = 'argon2id' | 'scrypt'

interface StoredHash {
  form: Form
  numbers: Numbers
  salt: Uint8Array
  hash: Uint8Array
}

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

/** Returns the hash of a known caller's new password, with its parameters and salt: `argon2id$memory$passes$parallelism$salt$hash`. */
export async function hashPassword(password: string | Uint8Array, cost = COST): Promise<string> {
  const salt = crypto.randomBytes(SALT_BYTES)
  const hash = await takeTurn('known', () => DERIVE.argon2id(password, salt, numbersOf(cost)))
  return [prefixOf(cost), salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether a stored hash has another form or other parameters than a new one would have. */
export function isOutdated(encoded: string, cost = COST): boolean {
  return !encoded.startsWith(`${prefixOf(cost)}$`)
}

export interface Comparison {
  queue?: PasswordQueue
  cost?: PasswordCost | undefined
  /** Whether anybody's hash has the form of earlier releases. Then every comparison derives both forms. */
  isScryptInUse?: boolean
}

/** Whether the password has this hash. Without a hash it takes the same time, so that the time reveals nothing. */
export async function isPassword(
  password: string | Uint8Array,
  encoded: string | undefined,
  { queue = 'strangers', cost = COST, isScryptInUse = false }: Comparison = {},
): Promise<boolean> {
  const stored = read(encoded ?? '')
  const nobodys = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) }
  const decoys: StoredHash[] = [{ form: 'argon2id', numbers: numbersOf(cost), ...nobodys }]
  if (isScryptInUse || stored?.form === 'scrypt') decoys.push({ form: 'scrypt', numbers: SCRYPT_COST, ...nobodys })
  return takeTurn(queue, async () => {
    let isRight = false
    for (const decoy of decoys) {
      const compared = stored?.form === decoy.form ? stored : decoy
      const found = await DERIVE[compared.form](password, compared.salt, compared.numbers)
      if (compared !== decoy)
        isRight = compared.hash.length === HASH_BYTES && crypto.timingSafeEqual(found, compared.hash)
    }
    return isRight
  })
}

function read(encoded: string): StoredHash | undefined {
  const [form, first, second, third, salt = '', hash = ''] = encoded.split('$')
  if (form !== 'argon2id' && form !== 'scrypt') return undefined
  const numbers: Numbers = [Number(first), Number(second), Number(third)]
  return { form, numbers, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}

const prefixOf = (cost: PasswordCost): string => ['argon2id', ...numbersOf(cost)].join('$')

const numbersOf = ({ memory, passes, parallelism }: PasswordCost): Numbers => [memory, passes, parallelism]

/** Each runs in a thread of its own. */
const DERIVE: Record<Form, Derive> = {
  argon2id: async (message, nonce, [memory, passes, parallelism]) => {
    const parameters = { message, nonce, memory, passes, parallelism, tagLength: HASH_BYTES }
    try {
      return await promisify(crypto.argon2)('argon2id', parameters)
    } catch (error) {
      throw isArgon2Missing(error) ? new Error(ARGON2_MISSING, { cause: error }) : error
    }
  },
  scrypt: (password, salt, [N, r, p]) =>
    new Promise((resolve, reject) => {
      crypto.scrypt(password, salt, HASH_BYTES, { N, r, p, maxmem: SCRYPT_MEMORY }, (error, key) =>
        error === null ? resolve(key) : reject(error),
      )
    }),
}

const ARGON2_MISSING = `Passwords need crypto.argon2, which Node ${process.versions.node} with OpenSSL ${process.versions.openssl} does not have: use Node 24.12 or newer from nodejs.org, which contains OpenSSL 3.5.`

/** Builds of Node that use the OpenSSL of their system have the function, but it throws where that is older than 3.2. */
function isArgon2Missing(error: unknown): boolean {
  const isAbsent = (crypto.argon2 as unknown) === undefined
  return isAbsent || (error instanceof Error && 'code' in error && error.code === 'ERR_CRYPTO_ARGON2_NOT_SUPPORTED')
}

/** Not more than a few hash at once, so that guesses cannot take all memory and threads. */
async function takeTurn<Result>(name: PasswordQueue, work: () => Promise<Result>): Promise<Result> {
  const queue = queues[name]
  if (queue.waiting >= MAX_WAITING) throw new PasswordsBusy()
  queue.waiting += 1
  try {
    return await queue.turns.run(work)
  } finally {
    queue.waiting -= 1
  }
}

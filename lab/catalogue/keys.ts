import { generateKeyPairSync, type KeyObject } from 'node:crypto'

/** The key files that people have in the lab, made once. */
const made = new Map<string, { privateKey: KeyObject; publicKey: KeyObject }>()

function pairFor(kind: string, name: string) {
  const found = made.get(`${kind} ${name}`)
  if (found !== undefined) return found
  const pair =
    kind === 'ES'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  made.set(`${kind} ${name}`, pair)
  return pair
}

/** As a person pastes it into a field of one line. RSA keys are in the older form that some vendors give out. */
export function labPrivateKey(algorithm: string, isWrong: boolean = false): string {
  const kind = algorithm.slice(0, 2)
  const { privateKey } = pairFor(kind, isWrong ? 'other' : 'own')
  const pem = privateKey.export({ format: 'pem', type: kind === 'ES' ? 'pkcs8' : 'pkcs1' }) as string
  return pem.replaceAll('\n', ' ').trim()
}

export const labPublicKey = (algorithm: string): KeyObject => pairFor(algorithm.slice(0, 2), 'own').publicKey

export const labSigningKey = (algorithm: string): KeyObject => pairFor(algorithm.slice(0, 2), 'own').privateKey

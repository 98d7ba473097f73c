import { createHmac } from 'node:crypto'

/** Proves to the service that the sender of a token also has the app's secret (`appsecret_proof`). */
export function secretProof(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('hex')
}

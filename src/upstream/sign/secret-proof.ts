import { createHmac } from 'node:crypto'

/** Shows that whoever holds the token holds the app's secret too. */
export function secretProof(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('hex')
}

import type { Finding } from '#destinations/contract.ts'
import type { DestinationKind } from '#model/apps/destination.ts'

/** A finding with what to do about it, where that is known. */
export interface HintedFinding extends Finding {
  hint?: string
}

interface Hint {
  /** What servers, drivers and our egress guard say, in lower case; of a pair, both. Not an expression: servers may say megabytes. */
  said: (string | [string, string])[]
  hint: string
}

const HINTS: Hint[] = [
  {
    said: [
      'password authentication failed',
      '28p01',
      ['role ', ' does not exist'],
      'access denied for user',
      'er_access_denied',
      'authorization violation',
      'code: 516',
    ],
    hint: 'The user or the password is wrong. In the address, write special characters of a password as %xx.',
  },
  {
    said: [
      'does not support ssl',
      'does not support tls',
      'server does not support',
      'ssl is not enabled',
      'tls is required',
      'wrong version number',
      'handshake_no_ssl',
    ],
    hint: 'The server has no TLS. Turn TLS on there. `?sslmode=disable` is accepted only for networks that the operator allowed (TRIBUTARY_ALLOW_PRIVATE).',
  },
  {
    said: ['certificate', 'self-signed', 'self signed', 'unable to verify', 'unable_to_', 'err_tls_cert'],
    hint: 'The certificate is not of a public authority, or of another host. Give your authority as the option `ca` (PEM).',
  },
  {
    said: [
      'address_refused',
      'not on the public internet',
      'no address on the public internet',
      'private',
      'loopback',
      'without tls',
    ],
    hint: 'Private addresses and connections without TLS are refused, unless the operator allows the network (TRIBUTARY_ALLOW_PRIVATE).',
  },
  {
    said: [
      'permission denied',
      '42501',
      'er_dbaccess_denied',
      'er_tableaccess_denied',
      'command denied',
      'not enough privileges',
      'code: 497',
    ],
    hint: 'The role lacks rights. Run the SQL of the rights as an administrator of the database.',
  },
  {
    said: [['database ', ' does not exist'], '3d000', 'unknown database', 'er_bad_db_error', 'unknown_database'],
    hint: 'Create the database first, or correct its name in the address.',
  },
  {
    said: ['econnrefused', 'etimedout', 'ehostunreach', 'enetunreach', 'timeout', 'not done after', 'timed out'],
    hint: 'Nothing answers there. Check host, port and the firewall: this server must be able to connect.',
  },
  { said: ['enotfound', 'eai_again'], hint: 'The name of the host does not resolve.' },
  { said: ['too many connections', '53300'], hint: 'The server has no free connections for this role.' },
]

/** Adds to findings that failed what to do about them. */
export function withHints(kind: DestinationKind, findings: Finding[]): HintedFinding[] {
  return findings.map((finding) => {
    const hint = finding.ok ? undefined : hintFor(kind, finding.detail)
    return hint === undefined ? finding : { ...finding, hint }
  })
}

function hintFor(kind: DestinationKind, detail: string): string | undefined {
  const text = detail.toLowerCase()
  const known = HINTS.find(({ said }) => said.some((each) => [each].flat().every((part) => text.includes(part))))?.hint
  if (known !== undefined || kind !== 'webhook') return known
  return 'The receiver must respond with a status from 200 to 299 to a signed test message.'
}

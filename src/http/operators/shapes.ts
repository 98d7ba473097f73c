import { z } from 'zod'
import { MAX_OPERATOR_NAME, OPERATOR_ROLES } from '#model/apps/operator.ts'

/** Limit: apps of one developer. */
const MAX_APPS = 200
/** Limit: characters of one value that an authenticator sends. */
const MAX_AUTHENTICATOR_VALUE = 8192

const role = z.enum(OPERATOR_ROLES).describe('`operator`: everything. `developer`: certain apps with their accounts.')
const apps = z.array(z.string()).max(MAX_APPS).describe("A developer's apps (`client_id`).")

export const operator = z
  .object({
    id: z.string(),
    name: z.string(),
    role,
    apps,
    password: z.boolean().describe('Whether they can sign in with a password.'),
    passkeys: z.int(),
    sessions: z.int().describe('Browsers in which they are signed in.'),
    created_at: z.int(),
    seen_at: z.int().optional(),
  })
  .meta({ id: 'Operator', description: 'A named operator or developer.' })

export const invitation = z.object({
  name: z.string().max(MAX_OPERATOR_NAME).optional().describe('A proposal; the person may choose another one.'),
  role,
  apps: apps.default([]),
})

export const change = z.object({
  name: z.string().max(MAX_OPERATOR_NAME).optional(),
  role: role.optional(),
  apps: apps.optional(),
})

export const newLink = z
  .object({
    id: z.string(),
    url: z.string().describe('Works once. The secret is behind `#`.'),
    expires_at: z.int(),
  })
  .meta({ id: 'OperatorLink', description: 'A link with which a person becomes an operator, or signs in anew.' })

export const openLink = z
  .object({
    id: z.string(),
    operator: z.string().optional().describe('Who sets a new password or passkey with it; absent: a new operator.'),
    name: z.string().optional(),
    role,
    apps,
    created_by: z.string(),
    created_at: z.int(),
    expires_at: z.int(),
  })
  .meta({ id: 'OpenOperatorLink', description: 'A link that nobody used yet.' })

export const session = z
  .object({
    id: z.string(),
    operator: z.string(),
    name: z.string(),
    method: z.enum(['password', 'passkey', 'link']),
    browser: z.string(),
    address: z.string(),
    created_at: z.int(),
    seen_at: z.int(),
    expires_at: z.int(),
    current: z.boolean().describe('The session of this request.'),
  })
  .meta({ id: 'OperatorSession', description: 'A browser in which an operator is signed in.' })

/** Who is signed in. */
export const current = z
  .object({
    operator: z.object({ id: z.string(), name: z.string(), role, apps }),
    session: z.string(),
    confirmed_until: z.int().describe('Until then dangerous actions do not ask for the password or passkey again.'),
    passkeys: z.boolean().describe('Whether this address allows passkeys.'),
  })
  .meta({ id: 'DashboardSession', description: 'Who is signed in to the dashboard in this browser.' })

const value = z.string().max(MAX_AUTHENTICATOR_VALUE).describe('base64url')
export const assertion = z.object({
  id: value,
  client_data_json: value,
  authenticator_data: value,
  signature: value,
})
export const registration = z.object({
  id: value,
  client_data_json: value,
  authenticator_data: value,
  public_key: value,
})

export const creation = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string() }),
    algorithms: z.array(z.int()),
    exclude: z.array(z.string()),
  })
  .meta({
    id: 'PasskeyCreation',
    description: 'What `navigator.credentials.create` is called with; bytes as base64url.',
  })

export const passkeyName = z.string().trim().min(1).max(MAX_OPERATOR_NAME)

/** As the flows take it. */
export function toRegistration(given: z.output<typeof registration>) {
  return {
    id: given.id,
    clientDataJson: given.client_data_json,
    authenticatorData: given.authenticator_data,
    publicKey: given.public_key,
  }
}

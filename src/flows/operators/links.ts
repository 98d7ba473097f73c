import { actorOfOperator, MAX_OPERATOR_NAME, type OperatorRole } from '#model/apps/operator.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { newId, randomSecret } from '#platform/crypto/ids.ts'
import type { Registration } from '#platform/crypto/webauthn.ts'
import { auditInstallation } from '#store/audit.ts'
import * as links from '#store/operators/links.ts'
import {
  findOperator,
  hasOperators,
  insertOperator,
  type StoredOperator,
  setOperatorPassword,
} from '#store/operators/operators.ts'
import { deletePasskeysOf } from '#store/operators/passkeys.ts'
import { deleteSessionsOf } from '#store/operators/sessions.ts'
import { removeVisitor } from './demo-visitor.ts'
import type { AddressedDeps, Browser, OperatorDeps } from './deps.ts'
import { creationOptions, readRegistration, storePasskey } from './passkeys.ts'
import { encodePassword } from './passwords.ts'
import { openSession } from './sessions.ts'

const LINK_MS = 24 * 3_600_000
/** Who creates the link that is printed at the first start. */
const FIRST_START = 'start'
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._@+' -]*[\p{L}\p{N}\p{M}.])?$/u

export interface NewLink {
  id: string
  /** The secret is behind `#`, so that browsers send it to nobody and no log has it. */
  url: string
  expires_at: number
}

/** Creates a link for a new operator. */
export async function inviteOperator(
  deps: AddressedDeps,
  invited: { name?: string | undefined; role: OperatorRole; apps: string[] },
  actor: string,
): Promise<NewLink> {
  if (invited.name !== undefined) requireName(invited.name)
  return storeLink(
    deps,
    { ...invited, apps: invited.role === 'operator' ? [] : invited.apps },
    actor,
    'operator.invite',
  )
}

/** Creates a link with which an operator sets a new password or passkey. Links before it end. */
export async function linkForOperator(deps: AddressedDeps, operator: StoredOperator, actor: string): Promise<NewLink> {
  const { id: operatorId, name, role, apps } = operator
  return storeLink(deps, { operatorId, name, role, apps }, actor, 'operator.link')
}

/** A link for the first operator; undefined once there is one. */
export async function firstLink(deps: AddressedDeps): Promise<NewLink | undefined> {
  if (await hasOperators(deps.database)) return undefined
  return storeLink(deps, { role: 'operator', apps: [] }, FIRST_START, 'operator.invite')
}

async function storeLink(
  deps: AddressedDeps,
  of: Pick<links.OperatorLink, 'operatorId' | 'name' | 'role' | 'apps'>,
  createdBy: string,
  action: string,
): Promise<NewLink> {
  const now = deps.clock.now()
  const token = randomSecret()
  const link = { ...of, id: newId(now), createdBy, createdAt: now, expiresAt: now + LINK_MS }
  await deps.database.transaction(async (tx) => {
    if (of.operatorId !== undefined) await links.deleteLinksOf(tx, of.operatorId)
    await links.insertLink(tx, hashOf(deps, token), link)
    const detail = { link: link.id, operator: of.operatorId, name: of.name, role: of.role, apps: of.apps }
    await auditInstallation(tx, { at: now, actor: createdBy, action, detail })
  })
  return { id: link.id, url: `${deps.config.baseUrl}/dashboard/accept#${token}`, expires_at: link.expiresAt }
}

/** What a link offers, without using it. */
export async function readLink(deps: OperatorDeps, token: string) {
  const { operatorId, name, role, apps, expiresAt } = await requireLink(deps, token)
  return { new_operator: operatorId === undefined, name, role, apps, expires_at: expiresAt }
}

export async function linkPasskeyOptions(deps: AddressedDeps, token: string, name: string) {
  const link = await requireLink(deps, token)
  const options = await creationOptions(deps, purposeOf(link), {
    id: idOf(link),
    name: link.operatorId ? link.name! : requireName(name),
  })
  // The link replaces the passkeys that there are, so a known authenticator may create another one.
  return { ...options, exclude: [] }
}

/** What the person chose. */
export interface Acceptance {
  name: string
  password?: string | undefined
  passkey?: { name: string; registration: Registration } | undefined
}

/** Uses the link, and signs the operator in. Returns the value of the cookie. */
export async function acceptLink(
  deps: AddressedDeps,
  token: string,
  { name, password, passkey }: Acceptance,
  browser: Browser,
): Promise<string> {
  const link = await requireLink(deps, token)
  if (password === undefined && passkey === undefined)
    throw invalidInput('bad_body', 'password', 'is missing, and so is a passkey.')
  const encoded = password === undefined ? undefined : await encodePassword(deps, password)
  const made = passkey && (await readRegistration(deps, purposeOf(link), passkey.registration))
  const now = deps.clock.now()
  return deps.database.transaction(async (tx) => {
    const used = await links.useLink(tx, hashOf(deps, token), now)
    if (used === undefined) throw refusal()
    const operator = await operatorOf(tx, used, name, encoded, now)
    if (passkey !== undefined && made !== undefined) await storePasskey(deps, tx, operator.id, passkey.name, made)
    // The other links of the first start: now there is an operator.
    await links.deleteLinksBy(tx, FIRST_START)
    if (used.createdBy === FIRST_START) await removeVisitor(tx)
    const actor = actorOfOperator(operator.id)
    const detail = { link: used.id, name: operator.name, password: encoded !== undefined, passkey: made !== undefined }
    await auditInstallation(tx, { at: now, actor, action: 'operator.accept', detail })
    return openSession(deps, tx, operator, 'link', browser)
  })
}

/** The new operator, or the one whose password and passkeys are replaced: their sessions end. */
async function operatorOf(
  tx: Parameters<typeof insertOperator>[0],
  link: links.OperatorLink,
  name: string,
  password: string | undefined,
  createdAt: number,
): Promise<StoredOperator> {
  if (link.operatorId === undefined) {
    const operator = { id: idOf(link), name: requireName(name), role: link.role, apps: link.apps, password, createdAt }
    if (!(await insertOperator(tx, operator)))
      throw new ApiError('already_exists', 'An operator with this name exists; choose another name.', { param: 'name' })
    return operator
  }
  const operator = await findOperator(tx, link.operatorId)
  if (operator === undefined) throw refusal()
  // A link is for somebody who lost a password or passkey, perhaps to a thief: none of the earlier ones works any more.
  await setOperatorPassword(tx, operator.id, password ?? null)
  await deletePasskeysOf(tx, operator.id)
  await deleteSessionsOf(tx, operator.id)
  return operator
}

export async function listOpenLinks(deps: OperatorDeps) {
  return (await links.listLinks(deps.database, deps.clock.now())).map((link) => ({
    id: link.id,
    operator: link.operatorId,
    name: link.name,
    role: link.role,
    apps: link.apps,
    created_by: link.createdBy,
    created_at: link.createdAt,
    expires_at: link.expiresAt,
  }))
}

export async function revokeLink(deps: OperatorDeps, id: string, actor: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    if (!(await links.deleteLink(tx, id))) throw new ApiError('not_found', `There is no link ${id}.`)
    await auditInstallation(tx, { at: deps.clock.now(), actor, action: 'operator.revoke_link', detail: { link: id } })
  })
}

export function requireName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  if (trimmed.length > MAX_OPERATOR_NAME || !NAME.test(trimmed))
    throw invalidInput('bad_body', 'name', `must be 1 to ${MAX_OPERATOR_NAME} letters, digits, spaces or . _ @ + ' -`)
  return trimmed
}

async function requireLink(deps: OperatorDeps, token: string): Promise<links.OperatorLink> {
  const link = await links.findLink(deps.database, hashOf(deps, token), deps.clock.now())
  if (link === undefined) throw refusal()
  return link
}

function refusal(): ApiError {
  return new ApiError('link_invalid', 'The link is wrong, was used, or has expired. Ask an operator for a new one.')
}

function idOf({ id, operatorId }: links.OperatorLink): string {
  return operatorId ?? `op_${id}`
}

function purposeOf({ id }: links.OperatorLink): string {
  return `link ${id}`
}

function hashOf({ hasher }: Pick<OperatorDeps, 'hasher'>, token: string): Buffer {
  return hasher.hash('operator_link', token)
}

import { createHash } from 'node:crypto'
import { type Branding, checkColor, checkPrivacyUrl, type LogoKey } from '#model/apps/branding.ts'
import { readPicture } from '#model/apps/image-type.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { deleteLogo, findLogo, putLogo } from '#store/apps/logos.ts'

/** Limit (operators): bytes of an app logo; a larger one is refused, because pages that people see load it. */
export const MAX_LOGO_BYTES = 100 * 1024
/** Limit: width and height of a logo in pixels; it is shown at 48. */
const MAX_LOGO_PIXELS = 2048

/** `null` removes a value, absence keeps it. */
export interface BrandingChange {
  color?: string | null | undefined
  privacyUrl?: string | null | undefined
  /** Base64 of a PNG, JPEG or WebP. */
  logo?: string | null | undefined
}

/** Checks the change and stores the picture. The caller stores the rest with the app. */
export async function changeBranding(
  tx: Queries,
  appId: string,
  before: Branding,
  { color, privacyUrl, logo }: BrandingChange,
): Promise<Branding> {
  return {
    color: changed(before.color, color, checkColor),
    privacyUrl: changed(before.privacyUrl, privacyUrl, checkPrivacyUrl),
    logo: logo === undefined ? before.logo : await changeLogo(tx, appId, logo),
  }
}

function changed(before: string | undefined, given: string | null | undefined, check: (text: string) => string) {
  if (given === undefined) return before
  return given === null ? undefined : check(given)
}

async function changeLogo(tx: Queries, appId: string, given: string | null): Promise<LogoKey | undefined> {
  if (given === null) {
    await deleteLogo(tx, appId)
    return undefined
  }
  const { bytes, type } = readLogo(given)
  const key = { hash: createHash('sha256').update(bytes).digest('hex'), type }
  await putLogo(tx, appId, key, bytes)
  return key
}

function readLogo(given: string): { bytes: Buffer; type: string } {
  const bad = (why: string) => invalidInput('bad_parameter', 'branding.logo', why)
  const bytes = Buffer.from(given, 'base64')
  // Buffer skips what is not base64.
  if (bytes.length === 0 || trimEndOf(bytes.toString('base64'), '=') !== trimEndOf(given.trim(), '='))
    throw bad('must be a picture in base64.')
  if (bytes.length > MAX_LOGO_BYTES) throw bad(`must not have more than ${MAX_LOGO_BYTES / 1024} KB.`)
  const picture = readPicture(bytes)
  if (picture === undefined) throw bad('must be a PNG, JPEG or WebP.')
  const { type, width, height } = picture
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_LOGO_PIXELS)
    throw bad(`must not be larger than ${MAX_LOGO_PIXELS} by ${MAX_LOGO_PIXELS} pixels.`)
  return { bytes, type }
}

/** The picture at an address; the address of an earlier one ends with it. */
export async function readAppLogo(
  { database }: { database: Database },
  appId: string,
  hash: string,
): Promise<{ type: string; bytes: Buffer }> {
  const logo = await findLogo(database, appId, hash)
  if (logo === undefined) throw new ApiError('not_found')
  return logo
}

import { invalidInput } from '../errors.ts'
import { readableColors, readColor } from './contrast.ts'

/** How an app looks on the pages that people see. */
export interface Branding {
  /** `#rrggbb`, as the app set it. */
  color?: string | undefined
  privacyUrl?: string | undefined
  logo?: LogoKey | undefined
}

/** Which picture it is; the bytes are stored apart. */
export interface LogoKey {
  hash: string
  type: string
}

/** Limit: characters of the address of a privacy policy. */
const MAX_ADDRESS = 2000

export function checkColor(text: string): string {
  if (readColor(text) !== undefined) return text.toLowerCase()
  throw invalidInput('bad_parameter', 'branding.color', 'must be a colour such as #0b66c3.')
}

export function checkPrivacyUrl(text: string): string {
  const url = URL.canParse(text) && text.length <= MAX_ADDRESS ? new URL(text) : undefined
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href
  throw invalidInput('bad_parameter', 'branding.privacy_url', 'must be an https address.')
}

/** The address of a logo changes with its content, so that it can be cached for ever. */
export function logoPath(appId: string, { hash }: LogoKey): string {
  return `/apps/${encodeURIComponent(appId)}/logo/${hash}`
}

/** As the API and the CLI show it; `color_shown` is the colour after the correction of its contrast. */
export function presentBranding(appId: string, { color, privacyUrl, logo }: Branding): Record<string, unknown> {
  return {
    ...(color === undefined ? {} : { color, color_shown: readableColors(color) }),
    ...(privacyUrl === undefined ? {} : { privacy_url: privacyUrl }),
    ...(logo === undefined ? {} : { logo: logoPath(appId, logo) }),
  }
}

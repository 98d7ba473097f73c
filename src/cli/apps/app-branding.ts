import { readFileSync, statSync } from 'node:fs'
import { type BrandingChange, MAX_LOGO_BYTES } from '#flows/apps/branding.ts'
import { UsageError } from '../command.ts'

const REMOVED = 'none'

export const BRANDING_OPTIONS = {
  color: { type: 'string', value: '#RRGGBB', meaning: 'the colour of the pages that people see; “none” removes it' },
  logo: {
    type: 'string',
    value: 'FILE',
    meaning: `a PNG, JPEG or WebP of at most ${MAX_LOGO_BYTES / 1024} KB for these pages; “none” removes it`,
  },
  'privacy-url': { type: 'string', value: 'URL', meaning: 'the privacy policy of the app; “none” removes it' },
} as const

/** Undefined when nothing of it was given. */
export function brandingOf(flags: {
  text: (name: keyof typeof BRANDING_OPTIONS) => string | undefined
}): BrandingChange | undefined {
  const [color, logo, privacyUrl] = [flags.text('color'), flags.text('logo'), flags.text('privacy-url')]
  if (color === undefined && logo === undefined && privacyUrl === undefined) return undefined
  return {
    color: color === REMOVED ? null : color,
    privacyUrl: privacyUrl === REMOVED ? null : privacyUrl,
    logo: logo === undefined || logo === REMOVED ? logo && null : readLogo(logo),
  }
}

function readLogo(file: string): string {
  try {
    if (statSync(file).size > MAX_LOGO_BYTES)
      throw new UsageError(`--logo: ${file} has more than ${MAX_LOGO_BYTES / 1024} KB.`)
    return readFileSync(file).toString('base64')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`--logo: ${file} cannot be read.`)
  }
}

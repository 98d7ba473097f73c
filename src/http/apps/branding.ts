import { z } from 'zod'
import { type BrandingChange, MAX_LOGO_BYTES, readAppLogo } from '#flows/apps/branding.ts'
import { route } from '../server/route.ts'

const color = z.string().describe('`#rrggbb`. Its contrast is corrected where it is shown.')
const privacyUrl = z.string().describe("The address of the app's privacy policy: https.")
const logo = z
  .string()
  .max(Math.ceil(MAX_LOGO_BYTES / 3) * 4 + 4)
  .describe(`A PNG, JPEG or WebP of at most ${MAX_LOGO_BYTES / 1024} KB, in base64.`)

/** What is set; `null` removes a value, absence keeps it. */
export const branding = z
  .object({
    color: color.nullable().optional(),
    privacy_url: privacyUrl.nullable().optional(),
    logo: logo.nullable().optional(),
  })
  .describe('How the app looks on the pages that people see. `null` removes a value.')

export const shownBranding = z
  .object({
    color: z.string().optional(),
    color_shown: z
      .object({ light: z.string(), dark: z.string() })
      .optional()
      .describe('The colour as pages show it, so that text in it is readable.'),
    privacy_url: z.string().optional(),
    logo: z.string().optional().describe('Path of the logo on this server; it changes with the picture.'),
  })
  .meta({ id: 'Branding', description: 'How an app looks on the pages that people see.' })

export function brandingIn(given: z.output<typeof branding>): BrandingChange {
  return { color: given.color, privacyUrl: given.privacy_url, logo: given.logo }
}

/** Nothing in it runs, also if somebody opens the address itself. */
const LOGO_POLICY = "default-src 'none'; sandbox"

export const appLogo = route({
  auth: 'none',
  summary: "Get an app's logo; the address changes with the picture",
  path: z.object({ client_id: z.string(), hash: z.string() }),
  type: 'image/*',
  reasons: ['not_found'],
  run: async (deps, { path, reply }) => {
    const { type, bytes } = await readAppLogo(deps, path.client_id, path.hash)
    return reply
      .type(type)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', LOGO_POLICY)
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(bytes)
  },
})

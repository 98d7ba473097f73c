import { openCatalogue } from '#boot/catalogue.ts'
import type { OAuth2 } from '#kit/auth/auth.ts'

const asana = openCatalogue().find('asana')!

/** The entry, with its sign-in page at the lab that a test started. */
export default {
  ...asana,
  auth: { ...(asana.auth as OAuth2), authorizeUrl: `${process.env['TEST_PROBED_URL']}/-/oauth_authorize` },
}

import { walkPages } from './page-walker.ts'

export interface OidcLogin {
  deny?: boolean
  user?: string
}

const mostPages = 12

/**
 * Walks the server's sign-in and consent pages with a fresh browser until a response redirects away from the server.
 */
export async function loginOverHttp(
  issuer: string,
  url: string,
  { deny = false, user = 'alice' }: OidcLogin,
): Promise<string> {
  const walker = walkPages()
  let response = await walker.visit(url)
  for (let page = 0; page < mostPages; page += 1) {
    if (response.location !== undefined) {
      if (new URL(response.location).origin !== issuer) return response.location
      response = await walker.visit(response.location)
    } else if (response.status === 200 && deny) {
      response = await walker.visit(attributeOf(response.body, /<a href="([^"]+\/abort)"/))
    } else if (response.status === 200) {
      const prompt = attributeOf(response.body, /name="prompt" value="([^"]+)"/)
      const form = prompt === 'login' ? { prompt, login: user, password: 'any' } : { prompt }
      response = await walker.visit(attributeOf(response.body, /action="([^"]+)"/), { form })
    } else {
      throw new Error(`the authorization server returned ${response.status}: ${response.body.slice(0, 300)}`)
    }
  }
  throw new Error(`the authorization server showed more than ${mostPages} pages`)
}

function attributeOf(page: string, pattern: RegExp): string {
  const value = pattern.exec(page)?.[1]
  if (value === undefined) throw new Error(`the page has nothing like ${pattern}: ${page.slice(0, 300)}`)
  return value.replaceAll('&amp;', '&')
}

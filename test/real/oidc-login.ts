import { walkPages } from './page-walker.ts'

export interface OidcLogin {
  deny?: boolean
  user?: string
}

const mostPages = 12

/** Walks the server's sign-in and consent pages with a fresh browser until an answer leads away from the server. */
export async function loginOverHttp(
  issuer: string,
  url: string,
  { deny = false, user = 'alice' }: OidcLogin,
): Promise<string> {
  const walker = walkPages()
  let answer = await walker.visit(url)
  for (let page = 0; page < mostPages; page += 1) {
    if (answer.location !== undefined) {
      if (new URL(answer.location).origin !== issuer) return answer.location
      answer = await walker.visit(answer.location)
    } else if (answer.status === 200 && deny) {
      answer = await walker.visit(attributeOf(answer.body, /<a href="([^"]+\/abort)"/))
    } else if (answer.status === 200) {
      const prompt = attributeOf(answer.body, /name="prompt" value="([^"]+)"/)
      const form = prompt === 'login' ? { prompt, login: user, password: 'any' } : { prompt }
      answer = await walker.visit(attributeOf(answer.body, /action="([^"]+)"/), { form })
    } else {
      throw new Error(`the authorization server answered ${answer.status}: ${answer.body.slice(0, 300)}`)
    }
  }
  throw new Error(`the authorization server showed more than ${mostPages} pages`)
}

function attributeOf(page: string, pattern: RegExp): string {
  const value = pattern.exec(page)?.[1]
  if (value === undefined) throw new Error(`the page has nothing like ${pattern}: ${page.slice(0, 300)}`)
  return value.replaceAll('&amp;', '&')
}

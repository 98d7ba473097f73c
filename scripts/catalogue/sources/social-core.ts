import { globSync, readFileSync } from 'node:fs'
import { defined, literalAddress, nameIn, type Person, type SourceFacts } from '../facts.ts'

/** `python-social-auth/social-core` (BSD-3-Clause): classes in `social_core/backends`. */
export function readSocialCore(folder: string): SourceFacts[] {
  return globSync('social_core/backends/*.py', { cwd: folder })
    .sort()
    .flatMap((file) => classesIn(readFileSync(`${folder}/${file}`, 'utf8')))
}

function classesIn(text: string): SourceFacts[] {
  return text
    .split(/^class /m)
    .slice(1)
    .flatMap((each) => factsOf(each))
}

function factsOf(text: string): SourceFacts[] {
  const constants = Object.fromEntries(
    [...text.matchAll(/^ {4}(\w+)(?:: [^=\n]+)? = \(?\s*f?"([^"]*)"/gm)].map(([, name, value]) => [name!, value!]),
  )
  const { name } = constants
  if (name === undefined) return []
  const flag = (constant: string) => new RegExp(`^ {4}${constant} = True`, 'm').test(text)
  const scope = /^ {4}DEFAULT_SCOPE[^=]*= \[([^\]]*)\]/m.exec(text)?.[1]
  const call = /get_json\(\s*(?:f?"([^"]+)"|self\.(\w+))/.exec(text)
  const profile = call?.[1] ?? constants[call?.[2] ?? ''] ?? constants['USERINFO_URL']
  const query = /params=\{\s*"(access_token|token|oauth_token)": access_token/.exec(text)?.[1]
  const scheme = /"Authorization": f"(\w+) \{access_token\}"/.exec(text)?.[1]
  return [
    defined({
      source: 'social-core',
      name: nameIn(name),
      request: literalAddress(constants['REQUEST_TOKEN_URL']),
      authorize: literalAddress(constants['AUTHORIZATION_URL']),
      token: literalAddress(constants['ACCESS_TOKEN_URL']),
      refresh: literalAddress(constants['REFRESH_TOKEN_URL']),
      revoke: literalAddress(constants['REVOKE_TOKEN_URL']),
      scope: scope === undefined ? undefined : [...scope.matchAll(/"([^"\s][^"]*)"/g)].map(([, each]) => each!),
      separator: constants['SCOPE_SEPARATOR'] ?? ' ',
      client: flag('USE_BASIC_AUTH') ? ('basic_raw' as const) : ('post' as const),
      profile: literalAddress(profile),
      person: personIn(text, constants['ID_KEY'] ?? 'id'),
      place:
        query !== undefined
          ? { query }
          : scheme !== undefined && scheme !== 'Bearer'
            ? { header: 'authorization', scheme }
            : undefined,
    }),
  ]
}

function personIn(text: string, id: string): Person {
  const field = (name: string) => new RegExp(`"${name}": (?:response|user)(?:\\.get\\("|\\[")(\\w+)"`).exec(text)?.[1]
  return defined({ id, name: field('fullname'), handle: field('username'), email: field('email') })
}

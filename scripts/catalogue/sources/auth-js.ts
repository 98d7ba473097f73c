import { globSync, readFileSync } from 'node:fs'
import { defined, literalAddress, nameIn, type Person, type SourceFacts } from '../facts.ts'

/** `nextauthjs/next-auth` (ISC): one function per service; the folder is `packages/core/src/providers`. */
export function readAuthJs(folder: string): SourceFacts[] {
  return globSync('*.ts', { cwd: folder })
    .sort()
    .flatMap((file) => factsOf(readFileSync(`${folder}/${file}`, 'utf8')))
}

function factsOf(source: string): SourceFacts[] {
  const page = /(?:\[[^\]]*[Dd]oc[^\]]*\]\(|@see )(https:\/\/(?!authjs|next-auth|github\.com\/nextauth)[^\s)]+)/.exec(
    source,
  )
  const text = source.replaceAll(/\/\*[^]*?\*\//g, '')
  const [, name] = /^ {4}id: "([^"]+)"/m.exec(text) ?? []
  if (name === undefined) return []
  const address = (field: string): string | undefined => {
    const value = new RegExp(`^ {4}${field}: (?:"([^"]+)"|\\{[^}]*?url: "([^"]+)")`, 'm').exec(text)
    return value?.[1] ?? value?.[2]
  }
  const authorize = address('authorization')
  const url = authorize === undefined ? null : URL.parse(authorize)
  const scope = /scope:\s*"([^"]+)"/.exec(text)?.[1] ?? url?.searchParams.get('scope') ?? undefined
  const method = /token_endpoint_auth_method: "(\w+)"/.exec(text)?.[1]
  return [
    defined({
      source: 'auth-js',
      name: nameIn(name),
      title: /^ {4}name: "([^"]+)"/m.exec(text)?.[1],
      docs: page?.[1],
      authorize: literalAddress(authorize?.split('?')[0]),
      token: literalAddress(address('token')),
      scope: scope?.split(/[\s,]+/).filter((each) => each !== ''),
      separator: scope?.includes(',') === true ? ',' : scope?.includes(' ') === true ? ' ' : undefined,
      client: method === 'client_secret_post' ? ('post' as const) : undefined,
      profile: literalAddress(address('userinfo')),
      person: personIn(text),
    }),
  ]
}

function personIn(text: string): Person | undefined {
  const at = (field: string): string | undefined => {
    const value = new RegExp(
      `^\\s+${field}: (?:String\\()?(?:profile|data|user)((?:\\??\\.\\w+|\\[\\d+\\])+)`,
      'm',
    ).exec(text)?.[1]
    return value
      ?.replaceAll(/\.toString$/g, '')
      .replaceAll('?', '')
      .replaceAll(/\[(\d+)\]/g, '.$1')
      .slice(1)
  }
  const person = defined({ id: at('id'), name: at('name'), email: at('email'), photo: at('image') })
  return person.id === undefined ? undefined : person
}

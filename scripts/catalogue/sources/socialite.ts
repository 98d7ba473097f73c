import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, literalAddress, nameIn, type Person, type SourceFacts } from '../facts.ts'

/** `SocialiteProviders/Providers` (MIT): one class per service in `src/NAME/Provider.php`. */
export function readSocialite(folder: string): SourceFacts[] {
  return readdirSync(join(folder, 'src')).flatMap((name) => {
    const path = join(folder, 'src', name, 'Provider.php')
    return existsSync(path) ? [factsOf(name, readFileSync(path, 'utf8'))] : []
  })
}

function factsOf(title: string, text: string): SourceFacts {
  const constants = Object.fromEntries(
    [...text.matchAll(/(?:const|protected|private|public)\s+(?:string\s+)?\$?(\w+)\s*=\s*'([^']*)'/g)].map(
      ([, name, value]) => [name!, value!],
    ),
  )
  // 'https://…', self::NAME.'/path', $this->name.'/path'
  const addressIn = (code: string | undefined): string | undefined => {
    const [, name, tail = '', literal] =
      /(?:self::|static::|\$this->)(\w+)(?:\s*\.\s*'([^']*)')?|'(https:[^']*)'/.exec(code ?? '') ?? []
    return literalAddress(literal ?? (name === undefined ? undefined : `${constants[name] ?? '?'}${tail}`))
  }
  const body = (name: string) => new RegExp(`function ${name}\\([^]*?\\n    \\}`).exec(text)?.[0] ?? ''
  const byToken = body('getUserByToken')
  const scope = /\$scopes\s*=\s*\[([^\]]*)\]/.exec(text)?.[1]
  const isBasic = /base64_encode\(\s*(?:\$this->clientId|sprintf)|RequestOptions::AUTH\s*=>/.test(
    body('getTokenHeaders') + body('getAccessTokenResponse'),
  )
  const query = /(?:RequestOptions::QUERY|'query')\s*=>\s*\[\s*'(\w+)'\s*=>\s*\$token/.exec(byToken)?.[1]
  const scheme = /'Authorization'\s*=>\s*'(\w+) '\s*\.\s*\$token/.exec(byToken)?.[1]
  const keyHeader = /'([\w-]+)'\s*=>\s*\$this->clientId/.exec(byToken)?.[1]
  return defined({
    source: 'socialite',
    name: nameIn(title),
    title,
    authorize: addressIn(/buildAuthUrlFromBase\(([^;]*?),\s*\$state/.exec(text)?.[1]),
    token: addressIn(/return ([^;]*);/.exec(body('getTokenUrl'))?.[1]),
    scope:
      scope === undefined
        ? undefined
        : [...scope.matchAll(/'([^'\s][^']*)'/g)].map(([, each]) => each!).filter((each) => /^\S+$/.test(each)),
    separator: /\$scopeSeparator\s*=\s*'([^']+)'/.exec(text)?.[1] ?? ',',
    client: isBasic ? ('basic_raw' as const) : ('post' as const),
    pkce: /\$usesPKCE\s*=\s*true/.test(text) ? true : undefined,
    profile: /->post\(/.test(byToken) ? undefined : addressIn(/->get\(\s*([^,)]*)/.exec(byToken)?.[1]),
    person: personIn(byToken, body('mapUserToObject')),
    place:
      query !== undefined
        ? { query }
        : scheme !== undefined && scheme !== 'Bearer'
          ? { header: 'authorization', scheme }
          : undefined,
    headers: keyHeader === undefined ? undefined : { [keyHeader.toLowerCase()]: '{key}' },
  })
}

function personIn(byToken: string, map: string): Person | undefined {
  // json_decode(…)['data'] and $user = $user['data'] shorten the paths below.
  const shortened = [
    ...keysIn(/json_decode\([^;]*\)((?:\[[^\]]+\])+);/.exec(byToken)?.[1]),
    ...keysIn(/\$user\s*=\s*\$user((?:\[[^\]]+\])+);/.exec(map)?.[1]),
  ]
  const at = (field: string): string | undefined => {
    const value = new RegExp(`'${field}'\\s*=>\\s*((?:[^,(\\n]|\\([^)]*\\))+)`).exec(map)?.[1]?.trim() ?? ''
    const [, keys] = /^(?:\(string\)\s*)?\$user((?:\[[^\]]+\])+)(?:\s*\?\?\s*null)?$/.exec(value) ?? []
    const [, path] = /^(?:Arr::get|data_get)\(\$user,\s*'([\w.]+)'\)$/.exec(value) ?? []
    const found = path ?? (keys === undefined ? undefined : keysIn(keys).join('.'))
    return found === undefined ? undefined : [...shortened, found].join('.')
  }
  const person = defined({
    id: at('id'),
    name: at('name'),
    handle: at('nickname'),
    email: at('email'),
    photo: at('avatar'),
  })
  return person.id === undefined ? undefined : person
}

const keysIn = (text: string | undefined): string[] =>
  [...(text ?? '').matchAll(/\['?([\w-]+)'?\]/g)].map(([, key]) => key!)

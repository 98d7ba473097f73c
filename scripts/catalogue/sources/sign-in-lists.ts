import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, literalAddress, nameIn, type SourceFacts } from '../facts.ts'
import { type Patterns, readByPattern } from './by-pattern.ts'

const PHP_OR_JAVA_COMMENTS = /\/\*[^]*?\*\//g

/** The lists of sign-in services whose code has one form throughout. */
const LISTS: Record<string, Patterns> = {
  /** `pennersr/django-allauth` (MIT). */
  allauth: {
    source: 'allauth',
    files: 'allauth/socialaccount/providers/*/{views,provider}.py',
    name: /^\s+provider_id = "([^"]+)"/m,
    path: /providers\/(\w+)\//,
    request: /^\s+(request_token_url) = /m,
    authorize: /^\s+authorize_url = \(?\s*"([^"]+)"\s*\)?(?:\s*#.*)?$/m,
    token: /^\s+access_token_url = \(?\s*"([^"]+)"\s*\)?(?:\s*#.*)?$/m,
    profile: /^\s+(?:profile|user_info|userinfo|identity)_url = \(?\s*"([^"]+)"\s*\)?(?:\s*#.*)?$/m,
    basic: /basic_auth = True/,
  },
  /** `aspnet-contrib/AspNet.Security.OAuth.Providers` (Apache-2.0). */
  aspnet: {
    source: 'aspnet',
    files: 'src/AspNet.Security.OAuth.*/*AuthenticationDefaults.cs',
    path: /OAuth\.(\w+)\//,
    authorize: /\bAuthorizationEndpoint\s*=\s*"([^"]+)"/,
    token: /\bTokenEndpoint\s*=\s*"([^"]+)"/,
    profile: /\bUserInformationEndpoint\s*=\s*"([^"]+)"/,
  },
  /** `hwi/HWIOAuthBundle` (MIT). */
  hwi: {
    source: 'hwi',
    files: 'src/OAuth/ResourceOwner/*ResourceOwner.php',
    without: PHP_OR_JAVA_COMMENTS,
    path: /ResourceOwner\/(\w+)ResourceOwner/,
    request: /('request_token_url') =>/,
    authorize: /'authorization_url' => '([^']+)'/,
    token: /'access_token_url' => '([^']+)'/,
    revoke: /'revoke_token_url' => '([^']+)'/,
    profile: /'infos_url' => '([^']+)'/,
    person: {
      id: /'identifier' => '([\w.]+)'/,
      name: /'realname' => '([\w.]+)'/,
      handle: /'nickname' => '([\w.]+)'/,
      email: /'email' => '([\w.]+)'/,
      photo: /'profilepicture' => '([\w.]+)'/,
    },
  },
  /** `hybridauth/hybridauth` (MIT). */
  hybridauth: {
    source: 'hybridauth',
    files: 'src/Provider/*.php',
    without: PHP_OR_JAVA_COMMENTS,
    path: /Provider\/(\w+)\./,
    request: /(\$requestTokenUrl) =/,
    authorize: /\$authorizeUrl = '([^']+)'/,
    token: /\$accessTokenUrl = '([^']+)'/,
  },
  /** `scribejava/scribejava` (MIT). */
  scribejava: {
    source: 'scribejava',
    files: 'scribejava-apis/src/main/java/com/github/scribejava/apis/*.java',
    without: PHP_OR_JAVA_COMMENTS,
    path: /apis\/(\w+?)(?:Api|API)(?:20)?\./,
    request: /(getRequestTokenEndpoint)/,
    authorize:
      /getAuthorizationBaseUrl\(\) \{\s*return "([^"]+)"|AUTHORI[SZ]E?(?:ATION)?_?(?:BASE_)?URL\s*=\s*\n?\s*"([^"]+)"/,
    token: /getAccessTokenEndpoint\(\) \{\s*return "([^"]+)"/,
  },
  /** `markbates/goth` (MIT). */
  goth: {
    source: 'goth',
    files: 'providers/*/*.go',
    path: /providers\/(\w+)\/(?!\w*_test|session)/,
    authorize: /^\s*(?:authURL|AuthURL|authEndpoint|authPath|endpointAuth)\s+(?:string\s+)?=\s*"([^"]+)"/m,
    token: /^\s*(?:tokenURL|TokenURL|tokenEndpoint|tokenPath|endpointToken)\s+(?:string\s+)?=\s*"([^"]+)"/m,
    profile:
      /^\s*(?:endpointProfile|profileEndpoint|ProfileURL|profileURL|userEndpoint|endpointUser|userURL|accountURL)\s+(?:string\s+)?=\s*"([^"]+)"/m,
  },
  /** `golang/oauth2` (BSD-3-Clause). */
  'go-oauth2': {
    source: 'go-oauth2',
    files: 'endpoints/endpoints.go',
    cut: /^var /m,
    name: /^(\w+) = oauth2\.Endpoint/,
    authorize: /\bAuthURL:\s+"([^"]+)"/,
    token: /\bTokenURL:\s+"([^"]+)"/,
  },
  /** `better-auth/better-auth` (MIT). */
  'better-auth': {
    source: 'better-auth',
    files: 'packages/core/src/social-providers/*.ts',
    path: /social-providers\/([\w-]+)\.ts$/,
    authorize: /authorizationEndpoint(?::| =)\s*\n?\s*"([^"]+)"/,
    token: /tokenEndpoint(?::| =)\s*\n?\s*"([^"]+)"/,
    profile: /betterFetch<[^(]*\(\s*"([^"]+)"/,
    person: { id: /accountSubject: \(\{ profile \}\) => profile\.(\w+)/ },
  },
  /** `atinux/nuxt-auth-utils` (MIT). */
  nuxt: {
    source: 'nuxt',
    files: 'src/runtime/server/lib/oauth/*.ts',
    without: PHP_OR_JAVA_COMMENTS,
    path: /oauth\/(\w+)\.ts$/,
    authorize: /authorizationURL: '([^']+)'/,
    token: /tokenURL: '([^']+)'/,
    profile: /userURL: '([^']+)'|\$fetch(?:<\w+>)?\(\s*'([^']+)'/,
  },
  /** `pocketbase/pocketbase` (MIT). */
  pocketbase: {
    source: 'pocketbase',
    files: 'tools/auth/*.go',
    name: /^const Name\w+(?: string)? = "(\w+)"/m,
    authorize: /\bauthURL:\s+"([^"]+)"/,
    token: /\btokenURL:\s+"([^"]+)"/,
    profile: /\buserInfoURL:\s+"([^"]+)"/,
    scopes: /\bscopes:\s+\[\]string\{([^}]*)\}/,
  },
  /** `justauth/JustAuth` (MIT). */
  justauth: {
    source: 'justauth',
    files: 'src/main/java/me/zhyd/oauth/config/AuthDefaultSource.java',
    without: PHP_OR_JAVA_COMMENTS,
    cut: /^ {4}(?=[A-Z0-9_]+(?:\([^)]*\))? ?\{)/m,
    name: /^([A-Z0-9_]+)/,
    authorize: /String authorize\(\) \{\s*return "([^"]+)"/,
    token: /String accessToken\(\) \{\s*return "([^"]+)"/,
    refresh: /String refresh\(\) \{\s*return "([^"]+)"/,
    revoke: /String revoke\(\) \{\s*return "([^"]+)"/,
    profile: /String userInfo\(\) \{\s*return "([^"]+)"/,
  },
  /** `overtrue/socialite` (MIT). */
  overtrue: {
    source: 'overtrue',
    files: 'src/Providers/*.php',
    without: PHP_OR_JAVA_COMMENTS,
    path: /Providers\/(\w+)\./,
    authorize: /buildAuthUrlFromBase\('([^']+)'/,
    token: /function getTokenUrl\(\)[^{]*\{\s*return '([^']+)'/,
  },
  /** `openiddict/openiddict-core` (Apache-2.0). */
  openiddict: {
    source: 'openiddict',
    files: 'src/OpenIddict.Client.WebIntegration/OpenIddictClientWebIntegrationProviders.xml',
    without: /<!--[^]*?-->/g,
    cut: /<Provider (?=Name=)/,
    name: /^Name="(\w+)"/,
    docs: /Documentation="(https:[^"]+)"/,
    authorize: /AuthorizationEndpoint="([^"]+)"/,
    token: /\bTokenEndpoint="([^"]+)"/,
    revoke: /RevocationEndpoint="([^"]+)"/,
    profile: /UserInfoEndpoint="([^"]+)"/,
  },
  /** `appwrite/appwrite` (BSD-3-Clause). */
  appwrite: {
    source: 'appwrite',
    files: 'src/Appwrite/Auth/OAuth2/*.php',
    path: /OAuth2\/(\w+)\./,
    authorize: /function getLoginURL\(\)[^{]*\{[^}]*?'(https:[^'?]+)\??'/,
    token: /'POST',\s*'(https:[^'?]+)\??'/,
  },
  /** `hapijs/bell` (BSD-3-Clause). */
  bell: {
    source: 'bell',
    files: 'lib/providers/*.js',
    path: /providers\/([\w-]+)\./,
    request: /(temporary): '/,
    authorize: /\bauth: '([^']+)'/,
    token: /\btoken: '([^']+)'/,
    profile: /await get\('([^']+)'/,
  },
  /** `home-assistant/core` (Apache-2.0). */
  'home-assistant': {
    source: 'home-assistant',
    files: 'homeassistant/components/*/{const,application_credentials}.py',
    path: /components\/(\w+)\//,
    authorize:
      /(?:OAUTH2_AUTHORIZE|AUTHORIZE|AUTHORIZATION)\w*(?:: \w+)? = \(?\s*"(https:[^"]+)"|authorize_url="(https:[^"]+)"/,
    token: /(?:OAUTH2_TOKEN|TOKEN)\w*(?:: \w+)? = \(?\s*"(https:[^"]+)"|token_url="(https:[^"]+)"/,
  },
  /** `activepieces/activepieces` (MIT). */
  'activepieces-sign-in': {
    source: 'activepieces',
    files: 'packages/pieces/community/*/src/**/*.ts',
    path: /community\/([\w-]+)\//,
    authorize: /^\s+authUrl:\s*\n?\s*['"`]([^'"`]+)['"`]/m,
    token: /^\s+tokenUrl:\s*\n?\s*['"`]([^'"`]+)['"`]/m,
    scopes: /^\s+scope: \[([^\]]*)\]/m,
  },
}

export const SIGN_IN_LISTS: Record<string, (folder: string) => SourceFacts[]> = {
  ...Object.fromEntries(
    Object.entries(LISTS).map(([name, patterns]) => [name, (folder: string) => readByPattern(folder, patterns)]),
  ),
  allauth: readAllauth,
  aspnet: readAspNet,
  oauthd: readOauthd,
}

/** The record of the person is described in another file than the addresses. */
function readAllauth(folder: string): SourceFacts[] {
  return readByPattern(folder, LISTS['allauth']!).map((facts) => {
    const [file = ''] = globSync(`allauth/socialaccount/providers/*/provider.py`, { cwd: folder }).filter((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      return nameIn(/^\s+id = "([^"]+)"/m.exec(text)?.[1] ?? '') === facts.name
    })
    if (file === '') return facts
    const text = readFileSync(join(folder, file), 'utf8')
    const views = readFileSync(join(folder, file.replace('provider.py', 'views.py')), 'utf8')
    const body = (name: string) => new RegExp(`def ${name}\\([^]*?(?=\\n {4}def|\\n\\n\\n|$)`).exec(text)?.[0] ?? ''
    const id = /return (?:str\()?data(?:\.get\(|\[)"(\w+)"[\])]\)?$/m.exec(body('extract_uid'))?.[1]
    // What the view takes out of the response first.
    const before = /\.json\(\)(?:\["(\w+)"\]|\.get\("(\w+)"\))/.exec(views)
    const at = (path: string | undefined) =>
      path === undefined
        ? undefined
        : [...(before?.slice(1) ?? []), path].filter((each) => each !== undefined).join('.')
    const field = (name: string) =>
      at(new RegExp(`\\b${name}=data(?:\\.get\\(|\\[)"(\\w+)"`).exec(body('extract_common_fields'))?.[1])
    if (id === undefined) return facts
    const person = defined({ id: at(id), name: field('name'), handle: field('username'), email: field('email') })
    return { ...facts, title: /^\s+name = "([^"]+)"/m.exec(text)?.[1], person }
  })
}

function readAspNet(folder: string): SourceFacts[] {
  return readByPattern(folder, LISTS['aspnet']!).map((facts) => {
    const [file] = globSync('src/AspNet.Security.OAuth.*/*AuthenticationOptions.cs', { cwd: folder }).filter(
      (path) => nameIn(/OAuth\.(\w+)[\\/]/.exec(path)?.[1] ?? '') === facts.name,
    )
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
    const at = (claim: string): string | undefined => {
      const found = new RegExp(`MapJson(?:Sub)?Key\\(${claim}, "(\\w+)"(?:, "(\\w+)")?\\)`).exec(text)
      return found === null
        ? undefined
        : found
            .slice(1)
            .filter((each) => each !== undefined)
            .join('.')
    }
    const id = at('ClaimTypes\\.NameIdentifier')
    const scope = [...text.matchAll(/Scope\.Add\("([^"\s]+)"\)/g)].map(([, each]) => each!)
    return {
      ...facts,
      ...(scope.length === 0 ? {} : { scope }),
      ...(id === undefined
        ? {}
        : { person: defined({ id, name: at('ClaimTypes\\.Name'), email: at('ClaimTypes\\.Email') }) }),
    }
  })
}

interface OauthdProvider {
  name: string
  url?: string
  href?: { docs?: string }
  oauth2?: { authorize?: string | { url: string }; access_token?: string | { url: string } }
}

/** `oauth-io/oauthd` (Apache-2.0): `providers/NAME/conf.json`. */
function readOauthd(folder: string): SourceFacts[] {
  return globSync('providers/*/conf.json', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const { name, url = '', oauth2 } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as OauthdProvider
      const address = (value: string | { url: string } | undefined) => {
        const text = typeof value === 'object' ? value.url : value
        return literalAddress((text?.startsWith('/') === true ? url + text : text)?.replaceAll(/(?<!:)\/\/+/g, '/'))
      }
      const [authorize, token] = [address(oauth2?.authorize), address(oauth2?.access_token)]
      return authorize === undefined
        ? []
        : [
            defined({
              source: 'oauthd',
              name: nameIn(/providers\/([^/]+)\//.exec(file)![1]!),
              title: name,
              authorize,
              token,
            }),
          ]
    })
}

import { hasUserInfo } from '#platform/user-info.ts'
import { isAtHost, isWildcard } from './service-hosts.ts'

/** Below these, anybody can register a name. It finds mistakes; it does not have to be complete, because connectors are trusted code. */
const PUBLIC_SECOND_LEVELS = new Set('ac co com edu go gob gov gv info mil ne net nom or org sch web'.split(' '))
const PUBLIC_HOSTS = new Set(
  [
    'amazonaws.com appspot.com azurewebsites.net blogspot.com cloudapp.net cloudfront.net cloudfunctions.net cloudflare.net',
    'deno.dev duckdns.org firebaseapp.com fly.dev github.io gitlab.io glitch.me googleusercontent.com herokuapp.com',
    'lambda-url.us-east-1.on.aws myshopify.com netlify.app ngrok.app ngrok.io ngrok-free.app onrender.com pages.dev',
    'railway.app repl.co run.app s3.amazonaws.com sharepoint.com trycloudflare.com vercel.app web.app windows.net',
    'wixsite.com wordpress.com workers.dev zendesk.com',
  ]
    .join(' ')
    .split(' '),
)

const HOST = 'must be an origin such as https://uploads.service.example, or https://*.service.example'
const OPEN = 'must not be a wildcard below which anybody can have a name'

type Report = (field: string, expected: string) => void
type Fields = Record<string, unknown>

/** Reports what is wrong with the further hosts of an API: the service's credential is sent to each of them. */
export function checkHosts({ hosts, pathHosts, hostsOnInstance }: Fields, report: Report): void {
  const known = Array.isArray(hosts) ? (hosts as unknown[]) : []
  if (hosts !== undefined && !Array.isArray(hosts)) report('api.hosts', 'must be a list of origins')
  known.forEach((host, i) => {
    if (!isOrigin(host)) report(`api.hosts.${i}`, HOST)
    else if (isWildcard(host) && isOpen(host)) report(`api.hosts.${i}`, OPEN)
  })
  checkMap('api.pathHosts', pathHosts, report, (path, host) => {
    if (!/^\/[^\s?#{}]*[^\s?#{}/]$/.test(path)) return 'must start with “/”, and not end with one'
    const url = typeof host === 'string' && isOrigin(host) && !isWildcard(host) ? new URL(host) : undefined
    const isKnown = url !== undefined && known.some((each) => typeof each === 'string' && isAtHost(each, url))
    return isKnown ? undefined : 'must be one of the origins of api.hosts'
  })
  checkMap('api.hostsOnInstance', hostsOnInstance, report, (host, path) => {
    if (!known.includes(host)) return 'must be named like one of api.hosts'
    return typeof path === 'string' && /^\/[^\s?#{}]+$/.test(path) ? undefined : 'must be a path such as /api/uploads'
  })
}

function checkMap(
  field: string,
  value: unknown,
  report: Report,
  expected: (name: string, value: unknown) => string | undefined,
): void {
  if (value === undefined) return
  if (value === null || typeof value !== 'object' || Array.isArray(value)) report(field, 'must be an object of texts')
  else
    for (const [name, each] of Object.entries(value)) {
      const wrong = expected(name, each)
      if (wrong !== undefined) report(`${field}.${name}`, wrong)
    }
}

/** An origin exactly as a browser writes it, so that it can be compared. A wildcard is https, is the first label, and has no port. */
function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || hasUserInfo(value) || value.includes('{')) return false
  if (!value.includes('*')) return /^https?:/.test(value) && URL.parse(value)?.origin === value
  const name = isWildcard(value) ? value.slice('https://*.'.length) : ''
  return /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/.test(name)
}

/** Whether anybody can have a name below that of a wildcard. */
export function isOpen(wildcard: string): boolean {
  const labels = wildcard.slice('https://*.'.length).split('.')
  const [first = '', last = ''] = labels
  const isCountry = labels.length === 2 && last.length === 2 && PUBLIC_SECOND_LEVELS.has(first)
  return isCountry || PUBLIC_HOSTS.has(labels.join('.'))
}

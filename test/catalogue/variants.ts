import type { Entry } from '#kit/entry/entry-schema.ts'

const ABOUT: Pick<Entry, 'docs' | 'checked' | 'certainty' | 'sources' | 'category'> = {
  docs: 'https://acme.example/docs',
  checked: '2026-11-19',
  certainty: 'declared',
  sources: ['by-hand'],
  category: 'work',
}
const SELF = { get: '/me', id: 'id' } as const

/** What the form of entries allows and no entry of this release has, or only one. */
export const VARIANTS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    'variant-affixed',
    {
      title: 'Affixed',
      ...ABOUT,
      ask: {
        shop: { title: 'Shop', example: 'acme', kind: 'text', prefix: 'shop-', suffix: '.acme.example' },
        team: { title: 'Team', example: 'blue', kind: 'text', optional: true },
      },
      auth: {
        oauth2: {
          authorize: 'https://shop-{ask.shop}.acme.example/authorize',
          token: 'https://shop-{ask.shop}.acme.example/token',
          params: { authorize: { team: '{ask.team}' } },
          client: 'secret_basic',
        },
      },
      api: { base: 'https://shop-{ask.shop}.acme.example/api', headers: { 'x-team': '{ask.team}' } },
      self: SELF,
    },
  ],
  [
    'variant-oauth1',
    {
      title: 'OAuth 1',
      ...ABOUT,
      ask: { site: { title: 'Site', example: 'acme', kind: 'text' } },
      auth: {
        oauth1: {
          request: 'https://{ask.site}.acme.example/oauth/request',
          authorize: 'https://{ask.site}.acme.example/oauth/authorize',
          access: 'https://{ask.site}.acme.example/oauth/access',
          signature: 'HMAC-SHA256',
          scope: { name: 'rights', default: ['read', 'write'] },
        },
      },
      api: { base: 'https://{ask.site}.acme.example/api' },
      self: SELF,
    },
  ],
  [
    'variant-sites',
    {
      title: 'Sites',
      ...ABOUT,
      auth: {
        oauth2: {
          authorize: 'https://acme.example/authorize',
          token: 'https://acme.example/token',
          revoke: 'https://acme.example/revoke',
          tenants: {
            title: 'Site',
            get: 'https://acme.example/sites',
            list: 'data.sites',
            where: { kind: 'desk' },
            facts: { site: 'id', zone: 'zone.name' },
            id: 'site',
            name: 'title',
          },
        },
      },
      api: { base: 'https://{fact.zone}.api.acme.example/{fact.site}/v1', headers: { 'x-site': '{fact.site}' } },
      self: SELF,
    },
  ],
  [
    'variant-date',
    {
      title: 'Date',
      ...ABOUT,
      auth: {
        typed: {
          fields: { key: { title: 'Key', secret: true } },
          headers: { authorization: 'Bearer {token}' },
          exchange: {
            url: 'https://acme.example/login',
            json: { key: '{typed.key}' },
            token: 'access.token',
            expires_at: 'access.until',
          },
        },
      },
      api: { base: 'https://acme.example/api' },
      self: { from: 'key', proof: '/status' },
    },
  ],
])

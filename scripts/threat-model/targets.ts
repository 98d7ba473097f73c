import { z } from 'zod'
import { type Listed, ROUTES } from '#http/routes.ts'
import { shortList, whoSets } from './callers.ts'

/** Fields that decide where codes, tokens, secrets or items go, or what a token may do. */
interface Target {
  fields: readonly string[]
  /** Only below these paths, where a field of the same name is something else elsewhere. */
  under?: RegExp
  follows: string
}

/** Names of fields that direct something; a new one must be in TARGETS. */
export const DIRECTS =
  /^(?:address|host|instance|scope|overrides|agents|settings|resource|login_hint)$|(?<!error_)ur[il]s?$/

export const TARGETS: Target[] = [
  {
    fields: ['overrides'],
    follows:
      "the service's own addresses for this key: codes, tokens and the secret of the key go there, and ids of people come from there",
  },
  {
    fields: ['key', 'secret', 'hook_secret', 'hook_id', 'settings'],
    follows:
      "as which client the app is known at the service, and with which secret webhooks are verified. They go to the service's addresses only",
  },
  {
    fields: ['redirect_uris'],
    follows:
      "where people return with the app's own codes and tokens. No other app is concerned: a code belongs to one app",
  },
  {
    fields: ['redirect_uri', 'redirect_url'],
    follows: 'which of the registered addresses it is; any other is refused',
  },
  {
    fields: ['token_flow', 'public'],
    follows: "whether the app's tokens come in the fragment, and codes without its secret",
  },
  {
    fields: ['agents'],
    follows:
      'whether agents may act for people who consent, to which services they may write, and where they receive codes',
  },
  {
    fields: ['apply'],
    follows: 'whether `apply` also takes tokens for which no service confirms that they were issued to this app',
  },
  {
    fields: ['instance', 'fields'],
    under: /^\/auth\//,
    follows:
      "where people have servers of their own: the one that the app's token is for; the app vouches for it. Elsewhere an address that the key does not have is refused",
  },
  {
    fields: ['host', 'login_hint'],
    follows:
      "the person's own server, or how to find it. It is shown to the person before anything leaves, gets only what its own sign-in is about, and is valid for ids of its own",
  },
  {
    fields: ['answer'],
    under: /^\/oauth\/(?:ask|typed)$/,
    follows: 'what the person types on our pages: their server, or a name and password for it',
  },
  { fields: ['scope'], follows: 'what the token of a service, or of an agent, may do; the person agrees there' },
  { fields: ['resource'], follows: 'nothing: it must be the address of our MCP endpoint' },
  {
    fields: ['url', 'options'],
    under: /^\/push/,
    follows: 'the destination: items of the app’s accounts go there, with the credentials that the address has',
  },
  {
    fields: ['branding'],
    follows: 'colour, logo (stored here) and the link to the privacy policy on pages that people see',
  },
]

/** The fields of the query and body of a route. */
export function fieldsOf([, , { query, describedQuery, body }]: Listed): string[] {
  const shapes = [query, describedQuery, body].flatMap((schema) =>
    schema instanceof z.ZodObject ? [schema.shape] : [],
  )
  return [...new Set(shapes.flatMap((shape) => Object.keys(shape)))]
}

/** The table of who may set what: a row for each set of fields, with the routes by who may call them. */
export function targetsTable(): string {
  const rows = TARGETS.map(({ fields, under = /^/, follows }) => {
    const found = ROUTES.filter(([, path]) => under.test(path)).flatMap((listed) => {
      const field = fieldsOf(listed).find((each) => fields.includes(each))
      return field === undefined ? [] : [{ listed, who: whoSets(listed, field) }]
    })
    const groups = [...Map.groupBy(found, ({ who }) => who)]
    const who = groups.map(([each, all]) => `**${each}** by ${shortList(all.map(({ listed }) => listed))}`)
    return `| ${fields.map((field) => `\`${field}\``).join(', ')} | ${follows} | ${who.join('<br>')} |`
  })
  return ['| field | what follows from it | who may set it |', '|---|---|---|', ...rows].join('\n')
}

import { z } from 'zod'
import { CALLBACK_RULES } from '../auth/callback-rule.ts'
import { JWT_ALGORITHMS } from '../auth/typed-signing.ts'
import { CATEGORIES, CERTAINTIES } from '../connector/catalogue-words.ts'
import { RESET_UNITS } from '../connector/rate.ts'

// Loaded only where entries are checked: they are validated in tests and when an operator's file is loaded, not at each start.

const NAME = /^[a-z][a-z0-9_]{0,29}$/
const text = (about: string) => z.string().min(1).max(300).describe(about)
const web = (about: string) =>
  z
    .string()
    .regex(/^https:\/\/[^\s]+$/)
    .max(500)
    .describe(about)
const path = (about: string) =>
  z
    .string()
    .regex(/^[^\s]*$/)
    .max(300)
    .describe(about)
const texts = (about: string) => z.record(z.string().min(1), z.string()).describe(about)
const named = <Value extends z.ZodType>(value: Value, about: string) =>
  z.record(z.string().regex(NAME), value).describe(about)
/** One repetition without a bound at most, and no groups: such an expression is linear. */
const pattern = z
  .string()
  .regex(/^(?!.*[*+].*[*+])[^()|]+$/)
  .describe('A regular expression that the whole value matches: no groups, and one `*` or `+` at most.')

const question = z.strictObject({
  title: text('The label of the question.'),
  example: text('A valid answer.'),
  kind: z
    .enum(['host', 'text', 'choice'])
    .describe('`host`: the name of a server. `text`: letters, digits, - and _, or `pattern`. `choice`: one of `of`.'),
  of: z
    .array(z.string().regex(/^[\w.-]+$/))
    .min(2)
    .optional()
    .describe('The choices.'),
  pattern: pattern.optional(),
  prefix: text('Stands before the answer wherever it is used, and is shown before the field.').optional(),
  suffix: text('The same after it, such as `.service.example`.').optional(),
  default: text('The answer of a person who leaves it empty.').optional(),
  optional: z.boolean().optional().describe('May be left empty: then the parameters and headers with it are left out.'),
  hint: text('A sentence below the field.').optional(),
})

const field = z.strictObject({
  title: text('The label of the field.'),
  format: z.enum(['text', 'address', 'host']).optional(),
  pattern: pattern.optional(),
  secret: z.boolean().optional().describe('Never shown again, logged or used in an address.'),
  optional: z.boolean().optional(),
  hint: text('What the value looks like.').optional(),
  help: web('The page that explains where to find it.').optional(),
})

const place = z
  .union([
    z.strictObject({
      header: z.string().regex(/^[A-Za-z][\w-]*$/),
      scheme: z.string().optional().describe('Precedes the value, as in `Bearer`. Default: nothing.'),
    }),
    z.strictObject({ query: z.string().regex(/^[\w.[\]-]+$/) }),
  ])
  .describe('Where calls carry the token or key.')

const exchange = z.strictObject({
  url: z
    .string()
    .max(500)
    .regex(/^(?:https:\/\/|\{typed\.\w+\})[^\s]*$/)
    .describe('Where the token is requested; may have `{typed.x}` of fields that are no secrets.'),
  method: z.enum(['POST', 'GET']).optional(),
  form: texts('Fields of a form.').optional(),
  json: texts('Fields of a JSON object.').optional(),
  headers: texts('Headers.').optional(),
  basic: z.tuple([z.string(), z.string()]).optional().describe('Name and password of HTTP Basic.'),
  token: text('Path of the token in the response.'),
  expires: text('Path of the seconds until it expires.').optional(),
  expires_at: text('Path of the date or the time since 1970 when it expires.').optional(),
  refused: z.array(z.int()).optional().describe('Statuses beside 401 and 403 that refuse what was typed.'),
})

const tenants = z
  .strictObject({
    title: text('What one is called: `Site`.'),
    get: web('The call that lists them, with the token.'),
    list: text('Path of the list in the response. Default: the response itself.').optional(),
    where: texts('Only those whose texts at these paths are equal.').optional(),
    facts: named(text('Path in one of them.'), 'What calls need: `{fact.x}`.'),
    id: z.string().regex(NAME).describe('The fact that names it, which is a part of the ids of people.'),
    name: text('Path of the name that the person sees.').optional(),
  })
  .describe('The sites, companies or workspaces of a person, of which they choose one after the sign-in.')

const jwt = z
  .strictObject({
    algorithm: z.enum(JWT_ALGORITHMS),
    key: text('The typed private key (PEM), or the shared secret: `{typed.x}`.'),
    header: texts('Further fields of the header, such as `kid`.').optional(),
    claims: texts('Claims beside `iat` and `exp`; one whose field is left empty is left out.'),
    lifetime: z.int().min(60).max(86_400).describe('Seconds.'),
  })
  .describe('A token that is signed with a typed key: `{jwt}` of the exchange; without one, `{token}` of calls.')

const sign = z
  .union([
    z.strictObject({
      sigv4: z.strictObject({
        id: text('`{typed.x}`.'),
        secret: text('`{typed.x}`.'),
        session: text('`{typed.x}`, which may be left empty.').optional(),
        region: text('A region, or `{typed.x}`.'),
        service: z.string().regex(/^[a-z\d-]+$/),
      }),
    }),
    z.strictObject({
      hmac: z.strictObject({
        algorithm: z.enum(['sha1', 'sha256', 'sha512']),
        key: text('`{typed.x}`.'),
        over: text('What is signed: `{typed.x}`, `{method}`, `{host}`, `{path}`, `{query}`, `{body}`, `{time_s}` …'),
        encoding: z.enum(['hex', 'base64']),
        headers: texts('`{signature}`, `{time_s}`, `{time_ms}`, `{time_iso}` and `{typed.x}` are replaced.'),
      }),
    }),
  ])
  .describe('Signs each call with typed values.')

const oauth2 = z.strictObject({
  authorize: web('Where people sign in.'),
  token: web('Where the code is exchanged.'),
  refresh: web('Where tokens are refreshed, if elsewhere.').optional(),
  revoke: web('Where tokens are revoked (RFC 7009).').optional(),
  scope: z.array(z.string().min(1)).optional().describe('What is requested unless the app says otherwise.'),
  separator: z.enum([' ', ',', ', ', '+', '|', ';']).optional().describe('Between scopes. Default: a space.'),
  client: z
    .enum(['post', 'basic', 'basic_raw', 'secret_basic', 'none'])
    .optional()
    .describe('How the app authenticates; `secret_basic`: by its secret alone, as the user name. Default: post.'),
  body: z.enum(['form', 'json']).optional(),
  pkce: z.literal(false).optional().describe('The service refuses PKCE.'),
  params: z
    .strictObject({
      authorize: texts('Of the authorization.').optional(),
      token: texts('Of the token request.').optional(),
    })
    .optional()
    .describe('Further parameters.'),
  names: z
    .strictObject({ client_id: z.string().optional(), client_secret: z.string().optional() })
    .optional()
    .describe('Names that differ from RFC 6749.'),
  at: text('Path of the object with the token in the token response.').optional(),
  place: place.optional(),
  facts: named(
    z.union([
      z.strictObject({ token: text('Path in the token response.') }),
      z.strictObject({ callback: text('Parameter of the callback.') }),
    ]),
    'What a sign-in tells that calls need: `{fact.x}`.',
  ).optional(),
  tenants: tenants.optional(),
})

const auth = z.union([
  z.strictObject({ oauth2 }),
  z.strictObject({
    oauth1: z.strictObject({
      request: web('Where a request token is issued.'),
      authorize: web('Where people sign in.'),
      access: web('Where the access token is issued.'),
      signature: z.enum(['HMAC-SHA1', 'HMAC-SHA256', 'PLAINTEXT']).optional().describe('Default: HMAC-SHA1.'),
      scope: z
        .strictObject({
          name: text('The parameter of the request for a request token.'),
          default: z.array(z.string().min(1)).min(1).describe('What is requested unless the app says otherwise.'),
          separator: z.enum([' ', ',']).optional().describe('Between scopes. Default: a space.'),
        })
        .optional()
        .describe('Where the service has scopes; RFC 5849 has none.'),
    }),
  }),
  z.strictObject({
    key: z.strictObject({ place, field: field.omit({ format: true, optional: true }).partial().optional() }),
  }),
  z.strictObject({
    basic: z.strictObject({ name: field.partial().optional(), password: field.partial().optional() }),
  }),
  z.strictObject({
    typed: z.strictObject({
      fields: named(field, 'What the person types.'),
      headers: texts('Headers of every call, with `{typed.x}` or `{token}`.').optional(),
      query: texts('Parameters of every call, with `{typed.x}` or `{token}`.').optional(),
      basic: z.tuple([z.string(), z.string()]).optional(),
      exchange: exchange.optional(),
      jwt: jwt.optional(),
      sign: sign.optional(),
    }),
  }),
])

const limits = z.array(z.tuple([z.int().positive(), z.int().positive()])).describe('Pairs of calls and seconds.')

const failure = z
  .strictObject({
    status: z.int().min(200).max(599).optional(),
    at: text('Path in the response.').optional(),
    is: z.array(z.string()).min(1).optional().describe('The texts or numbers there, one of which it must be.'),
    means: z.enum(['retry', 'reauthorize', 'skip', 'stop', 'not_granted', 'pause_app', 'pause_person']),
  })
  .refine(({ status, at, is }) => (status ?? at) !== undefined && (at === undefined) === (is === undefined), {
    message: 'needs `status`, or `at` and `is`',
  })

const api = z.strictObject({
  base: z
    .string()
    .max(500)
    .regex(/^(?:https:\/\/|\{(?:fact|typed)\.\w+\})[^\s]*$/)
    .describe('The address below which the proxy calls. May begin with a fact or a typed address.'),
  hosts: z
    .array(z.string())
    .optional()
    .describe('Further origins that accept the token, such as `https://*.service.example`.'),
  headers: texts('Headers of every call.').optional(),
  query: texts('Parameters of every call.').optional(),
  limits: z.strictObject({ app: limits.optional(), person: limits.optional() }).optional(),
  rate: z
    .strictObject({
      left: z.string().describe('The header with the calls left.'),
      reset: z.string().describe('The header that says when the window ends.'),
      unit: z.enum(RESET_UNITS).optional().describe('Of `reset`. Default: epoch, in seconds.'),
    })
    .optional(),
  failed: z
    .array(failure)
    .min(1)
    .optional()
    .describe('Responses that mean something else than their status says; the first that fits counts.'),
  links: z.array(z.string()).optional().describe('Where JSON responses have addresses of the service, such as `next`.'),
})

const who = {
  name: text('Path.'),
  handle: text('Path.'),
  email: text('Path.'),
  photo: text('Path.'),
  url: text('Path.'),
}
const paths = z.strictObject({ id: text('Path of the id.'), ...z.strictObject(who).partial().shape })

const self = z.union([
  z.strictObject({
    get: path('The call that names the person, below `api.base`; or a full address at one of `api.hosts`.'),
    query: texts('Parameters.').optional(),
    ...paths.shape,
  }),
  z.strictObject({ post: path('The same by POST.'), json: z.unknown().optional(), ...paths.shape }),
  z.strictObject({ from: z.literal('token').describe('The token response names the person.'), ...paths.shape }),
  z.strictObject({
    from: z.literal('key').describe('The key names nobody.'),
    proof: path('A call that the service refuses for a wrong key.'),
  }),
])

/** One service of the catalogue. Unknown keys are refused. */
export const entrySchema = z.strictObject({
  title: text('The name that people see.'),
  docs: web("The vendor's page about its API."),
  checked: z.iso.date().describe('When it was compared with its sources.'),
  certainty: z
    .enum(CERTAINTIES)
    .describe(
      '`declared`: one source. `agreed`: two independent sources, or the vendor’s page. `tried`: somebody ran it.',
    ),
  sources: z.array(text('A name from NOTICE, or an address.')).min(1),
  category: z.enum(CATEGORIES),
  aliases: z.array(z.string()).optional(),
  conditions: z
    .array(
      z.strictObject({ says: text('What the vendor demands on the first day.'), source: web('Where it says so.') }),
    )
    .optional(),
  callback: z
    .enum(CALLBACK_RULES)
    .optional()
    .describe(
      'Redirect addresses it refuses. `https`: all others. `loopback_ip`: http but at 127.0.0.1, and localhost.',
    ),
  ask: named(question, 'Questions before the sign-in: `{ask.x}`.').optional(),
  settings: named(
    z.strictObject({
      title: text('As in the vendor’s console.'),
      required: z.boolean().optional(),
      secret: z.boolean().optional(),
    }),
    'Values that the app sets with its key: `{setting.x}`.',
  ).optional(),
  auth,
  api,
  self,
})

/** A file of entries: of the catalogue, or in the folder of an operator. */
export const entryFileSchema = z.strictObject({
  $schema: z.string().optional(),
  services: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,49}$/), entrySchema),
})

export type Entry = z.infer<typeof entrySchema>

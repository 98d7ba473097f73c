import { Refusal, refusedAs } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import { isShown } from '../../data/item-store.ts'
import { declareApi } from '../../declare/api.ts'
import type { OAuth1Server } from '../../oauth1/server.ts'
import type { OAuth2Server } from '../../oauth2/server.ts'
import type { Resource, XBilling } from './billing.ts'
import type { XData } from './data.ts'
import { type Expanded, expandDms, expandPosts } from './expand.ts'
import { fieldParams, type Primary, readFieldSelection } from './field-selection.ts'
import { compareIds } from './ids.ts'
import type { XLimits } from './limits.ts'
import { pageOf } from './page.ts'
import { checkNames, countParam } from './params.ts'
import type { View } from './present.ts'
import { forbidden, noDmPermission, plainProblem, unauthorized } from './problems.ts'
import { type Parts, respond } from './respond.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface ApiParts {
  context: ServiceContext
  oauth1: OAuth1Server
  oauth2: OAuth2Server
  data: XData
  limits: XLimits
  billing: XBilling
  vocabulary: Vocabulary
}

export interface Call extends View {
  request: LabRequest
  params: Record<string, string>
}

interface Need {
  /** What the response is about; absent for a request without parameters in the query. */
  of?: Primary
  /** Requests per person in fifteen minutes; each endpoint has its own counter. */
  limit: number
  /** Scopes beside the two that every call needs. */
  scopes?: readonly string[]
  /** What its responses list and are charged for. */
  charged?: Resource
  /** Parameters beside those that select fields. */
  params?: readonly string[]
  /** The least, most and usual number of records on a page. */
  counts?: readonly [number, number, number]
  /** Pages of a timeline name their newest and oldest post. */
  isTimeline?: boolean
}

export type XApi = ReturnType<typeof xApi>

const expand: Record<Primary, (view: View, items: never[]) => Partial<Expanded>> = {
  tweet: expandPosts,
  dm: expandDms,
  user: () => ({}),
}

/** Checks the OAuth 1 or OAuth 2 token and its permissions, then the endpoint's rate limit, then names and credit. */
export const xApi = ({ context, oauth1, oauth2, data, limits, billing, vocabulary }: ApiParts) =>
  declareApi<Need, Call>({
    admit({ request, params, need, key }) {
      const required = ['tweet.read', 'users.read', ...(need.scopes ?? [])]
      const { username, scopes } = callerOf(oauth1, oauth2, request, required)
      const viewer = data.byName(username)
      if (!viewer) throw new Error(`no account for ${username}`)
      const finish = limits.acquire(viewer.id, key, need.limit)
      let selection: View['selection'] | undefined
      const call: Call = {
        request,
        params,
        viewer,
        url: context.url(),
        data,
        get selection() {
          return (selection ??= readFieldSelection(request, need.of ?? 'tweet', scopes))
        },
      }
      return { call, finish }
    },
    check({ request }, { charged, of, params = [] }) {
      vocabulary.check(request)
      const charge = charged && billing.open(charged)
      if (of) checkNames(request, [...params, ...fieldParams[of]])
      return charge
    },
    reply: (parts, { selection }) => respond(selection, parts as Parts),
    page<Item>(call: Call, items: readonly Item[], show: (item: Item) => unknown, need: Need) {
      const { of = 'tweet', counts = [1, 100, 100], isTimeline } = need
      const { selection, request } = call
      const count = countParam(request, ...counts)
      const { shown, tokens } = pageOf(request, items as readonly (Item & Listed)[], isShown, count)
      const ids = shown.map(({ id }) => id).sort(compareIds)
      const edges = isTimeline && ids.length > 0 ? { newest_id: ids.at(-1), oldest_id: ids[0] } : {}
      return respond(selection, {
        data: shown.map(show),
        ...expand[of](call, shown as never[]),
        meta: { ...edges, result_count: shown.length, ...tokens },
      })
    },
    unknown: { below: '/2', depth: 6, reply: () => plainProblem(404, 'Not Found') },
  })

/** Records of all kinds have an id; posts and messages may be deleted or hidden. */
interface Listed {
  id: string
  deletedAtMs?: number
  hidden?: boolean
}

function callerOf(oauth1: OAuth1Server, oauth2: OAuth2Server, request: LabRequest, required: string[]) {
  const signed = () => {
    const { person, permissions } = oauth1.guard(request)
    if (required.includes('dm.read') && !permissions.includes('dm')) throw noDmPermission()
    return { username: person.username, scopes: [] }
  }
  const bearer = () => {
    const { person, scopes } = oauth2.guard(request)
    if (required.some((scope) => !scopes.includes(scope))) throw forbidden()
    return { username: person.username, scopes }
  }
  return refusedAs(/^OAuth /i.test(request.headers.authorization ?? '') ? signed : bearer, (reply) =>
    reply.status === 403 ? new Refusal(reply) : unauthorized(),
  )
}

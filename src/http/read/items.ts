import { z } from 'zod'
import { countEndpoints, countTypes } from '#flows/read/count.ts'
import { readById, readByNativeId, scopeOfEndpoint, scopeOfType } from '#flows/read/find.ts'
import { mediaAddress } from '#flows/read/media.ts'
import { presentOne } from '#flows/read/present.ts'
import { ApiError } from '#model/errors.ts'
import { flag } from '#model/input/input.ts'
import { toQuery, toTimeRange } from '#model/item-filter/read.ts'
import { itemQuery, servicesQuery, showing, timeRange } from '#model/item-filter/schema.ts'
import { TYPE_NAMES } from '#model/items/types.ts'
import { MEDIA, NOT_MODIFIED, PAGED, SUNSET } from '../describe/description/other-responses.ts'
import { text } from '../request/parameters.ts'
import { dataRoute } from '../server/data-route.ts'
import { readingDeps, staleness } from '../server/staleness.ts'
import { itemCounts, itemList, oneItem, SCHEMA_OF_TYPE, typedItemList } from '../shapes/items.ts'
import { sendItem, sendItems, sendMedia } from './send-items.ts'

const service = text('The service, or `id@service`.')
const endpoint = text('The endpoint.')
const list = itemQuery.extend(staleness)
const single = z.object({
  ...showing,
  media: flag("Redirect to the item's media: a file or a picture."),
  ...staleness,
})

export const byEndpoint = dataRoute({
  summary: 'List items of one endpoint of a service',
  usesCachedAccount: true,
  path: z.object({ service, endpoint }),
  query: list,
  reasons: ['no_profile', 'not_found'],
  response: itemList,
  headers: [...PAGED],
  run: async (given, { path, query, account, ...exchange }) => {
    const deps = readingDeps(given, exchange.reply, query.max_staleness)
    const scope = await scopeOfEndpoint(deps, account, path.service, path.endpoint)
    return sendItems(deps, exchange, scope, toQuery(query, deps.clock.now()), { ...query, oembed: false })
  },
})

export const byOwnEndpoint = dataRoute({
  summary: "List the app's own items of one endpoint",
  usesCachedAccount: true,
  path: z.object({ endpoint }),
  query: list,
  reasons: ['no_profile', 'not_found'],
  response: itemList,
  headers: [...PAGED],
  run: async (given, { path, query, account, ...exchange }) => {
    const deps = readingDeps(given, exchange.reply, query.max_staleness)
    const scope = await scopeOfEndpoint(deps, account, 'self', path.endpoint)
    return sendItems(deps, exchange, scope, toQuery(query, deps.clock.now()), { ...query, oembed: false })
  },
})

export const byType = dataRoute({
  summary: 'List items of one type, of all services',
  usesCachedAccount: true,
  path: z.object({
    type: text('').meta({ description: 'The type.', enum: TYPE_NAMES, 'x-schemas': SCHEMA_OF_TYPE }),
  }),
  query: list.extend(servicesQuery),
  reasons: ['not_found'],
  response: typedItemList,
  headers: [...PAGED],
  run: async (given, { path, query, account, ...exchange }) => {
    const deps = readingDeps(given, exchange.reply, query.max_staleness)
    const type = TYPE_NAMES.find((name) => name === path.type)
    if (type === undefined)
      throw new ApiError('not_found', `There is no type “${path.type}”. The types: ${TYPE_NAMES.join(', ')}.`)
    const scope = await scopeOfType(deps, account, type, query.services)
    return sendItems(deps, exchange, scope, toQuery(query, deps.clock.now()), { ...query, oembed: true })
  },
})

export const one = dataRoute({
  summary: 'Get an item by its id at the service',
  path: z.object({ service, endpoint, id: text('The native id.') }),
  query: single,
  reasons: ['no_profile', 'not_found', 'no_media'],
  response: oneItem,
  headers: ['ETag', 'X-Staleness', ...SUNSET],
  also: { ...NOT_MODIFIED, ...MEDIA },
  run: async (given, { path, query, account, ...exchange }) => {
    const deps = readingDeps(given, exchange.reply, query.max_staleness)
    const scope = await scopeOfEndpoint(deps, account, path.service, path.endpoint)
    const item = await readByNativeId(deps, scope, path.endpoint, path.id)
    if (query.media) return sendMedia(exchange, mediaAddress(deps, scope.readable, item))
    return sendItem(exchange, presentOne(deps, scope.readable, { ...query, oembed: false }, item))
  },
})

export const oneOwn = dataRoute({
  summary: "Get one of the app's own items by its id",
  path: z.object({ endpoint, id: text('The id.') }),
  query: single,
  reasons: ['no_profile', 'not_found', 'no_media'],
  response: oneItem,
  headers: ['ETag', 'X-Staleness', ...SUNSET],
  also: { ...NOT_MODIFIED, ...MEDIA },
  run: async (given, { path, query, account, ...exchange }) => {
    const deps = readingDeps(given, exchange.reply, query.max_staleness)
    const scope = await scopeOfEndpoint(deps, account, 'self', path.endpoint)
    const item = await readByNativeId(deps, scope, path.endpoint, path.id)
    if (query.media) return sendMedia(exchange, mediaAddress(deps, scope.readable, item))
    return sendItem(exchange, presentOne(deps, scope.readable, { ...query, oembed: false }, item))
  },
})

export const byId = dataRoute({
  summary: 'Get an item by its global id or URL-encoded IDR',
  path: z.object({ id: text('The id or IDR.') }),
  query: single,
  reasons: ['not_found', 'no_media'],
  response: oneItem,
  headers: ['ETag', 'X-Staleness', ...SUNSET],
  also: { ...NOT_MODIFIED, ...MEDIA },
  run: async (given, { path, query, account, ...exchange }) => {
    const deps = readingDeps(given, exchange.reply, query.max_staleness)
    const { item, readable } = await readById(deps, account, path.id)
    if (query.media) return sendMedia(exchange, mediaAddress(deps, readable, item))
    return sendItem(exchange, presentOne(deps, readable, { ...query, oembed: true }, item))
  },
})

export const serviceCounts = dataRoute({
  summary: 'Count the items of each endpoint of a service',
  path: z.object({ service }),
  query: z.object({ rich: flag('Add oldest, newest and the last sync.'), ...timeRange, ...staleness }),
  reasons: ['no_profile'],
  response: itemCounts,
  headers: ['X-Staleness', ...SUNSET],
  run: (given, { path, query: { rich, max_staleness: maxStalenessS, ...range }, account, reply }) => {
    const deps = readingDeps(given, reply, maxStalenessS)
    return countEndpoints(deps, account, path.service, { rich, ...toTimeRange(range, deps.clock.now()) })
  },
})

export const typeCounts = dataRoute({
  summary: 'Count the items of each type',
  query: z.object({ rich: flag('Add oldest and newest.'), ...timeRange, ...servicesQuery, ...staleness }),
  response: itemCounts,
  headers: ['X-Staleness', ...SUNSET],
  run: (given, { query: { rich, services, max_staleness: maxStalenessS, ...range }, account, reply }) => {
    const deps = readingDeps(given, reply, maxStalenessS)
    return countTypes(deps, account, services, { rich, ...toTimeRange(range, deps.clock.now()) })
  },
})

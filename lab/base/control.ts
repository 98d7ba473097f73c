import type { LabClock, ServiceClock } from './clock.ts'
import { type Fault, type FaultList, faultKinds } from './faults.ts'
import { json, noContent, Refusal, type Reply } from './reply.ts'
import { jsonOf, type LabRequest } from './request.ts'
import type { RequestLog } from './request-log.ts'
import type { Routes } from './router.ts'
import type { Registration, ServiceParts } from './service-parts.ts'
import { isInvalidSetting } from './settings.ts'

interface ControlDeps {
  parts: ServiceParts
  clock: ServiceClock
  labClock: LabClock
  faults: FaultList
  requests: RequestLog
}

/** The lab's control interface, one per service. JSON bodies only, which prevents cross-origin form posts. */
export function controlRoutes({ parts, clock, labClock, faults, requests }: ControlDeps): Routes {
  return {
    'GET /_lab': () =>
      json(200, {
        endpoints: parts.endpoints(),
        people: parts.people.map(({ id, username, password, name }) => ({ id, username, password, name })),
        settings: parts.settings(),
        now: clock.now(),
        counters: requests.counters(),
      }),
    'GET /_lab/faults': () => json(200, faults.pending().map(shownFault)),
    'POST /_lab/faults': (request) => {
      faults.add(faultFrom(jsonOf(request)))
      return noContent()
    },
    'DELETE /_lab/faults': () => {
      faults.clear()
      return noContent()
    },
    'GET /_lab/requests': () => json(200, requests.all),
    'DELETE /_lab/requests': () => {
      requests.clear()
      return noContent()
    },
    'POST /_lab/clients': (request) =>
      rejectInvalid(() => json(201, parts.register(registrationFrom(jsonOf(request))))),
    'PATCH /_lab/settings': (request) =>
      rejectInvalid(() => {
        parts.configure(jsonOf(request))
        return json(200, parts.settings())
      }),
    'POST /_lab/tokens': (request) => {
      const { action, person } = jsonOf(request)
      if (action !== 'revoke' && action !== 'expire') throw badRequest('action must be revoke or expire')
      return json(200, { touched: parts.tokens[action](typeof person === 'string' ? person : undefined) })
    },
    'POST /_lab/clock': (request) => {
      const { advanceMs, setMs, skewMs } = jsonOf(request)
      if (typeof setMs === 'number') labClock.set(setMs)
      if (typeof advanceMs === 'number') labClock.advance(advanceMs)
      if (typeof skewMs === 'number') clock.skewMs = skewMs
      return json(200, { now: clock.now(), skewMs: clock.skewMs })
    },
    'POST /_lab/data': (request) => rejectInvalid(() => changeData(parts, request)),
  }
}

function changeData(parts: ServiceParts, request: LabRequest): Reply {
  const {
    action,
    person,
    kind,
    id,
    fields = {},
  } = jsonOf(request) as Record<string, string | undefined> & {
    fields?: Record<string, unknown>
  }
  if (!person || !kind) throw badRequest('person and kind are required')
  if (action === 'add') return json(201, parts.data.add(person, kind, fields))
  if (!id) throw badRequest('id is required')
  if (action === 'edit') return json(200, parts.data.edit(person, kind, id, fields))
  if (action !== 'remove') throw badRequest('action must be add, edit or remove')
  parts.data.remove(person, kind, id)
  return noContent()
}

function faultFrom(body: Record<string, unknown>): Fault {
  if (typeof body['path'] !== 'string') throw badRequest('path is required, for example "/api/*"')
  if (!faultKinds.some((kind) => kind === body['kind']))
    throw badRequest(`kind must be one of ${faultKinds.join(', ')}`)
  if (body['kind'] === 'status' && typeof body['status'] !== 'number') throw badRequest('status is required')
  if (body['kind'] === 'delay' && typeof body['delayMs'] !== 'number') throw badRequest('delayMs is required')
  if (body['kind'] === 'response' && typeof body['body'] !== 'string') throw badRequest('body is required')
  return body as unknown as Fault
}

function registrationFrom(body: Record<string, unknown>): Registration {
  const uris = body['redirectUris']
  if (!Array.isArray(uris) || uris.some((uri) => typeof uri !== 'string'))
    throw badRequest('redirectUris must be a list of strings')
  return body as unknown as Registration
}

const shownFault = (fault: Fault) => ({ ...fault, path: String(fault.path) })

const badRequest = (error: string): Refusal => new Refusal(json(400, { error }))

function rejectInvalid(run: () => Reply): Reply {
  try {
    return run()
  } catch (error) {
    if (isInvalidSetting(error)) throw badRequest(error.message)
    throw error
  }
}

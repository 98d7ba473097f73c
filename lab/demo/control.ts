import { nodeHttp } from '../base/node-http.ts'
import { json, Refusal, type Reply, text } from '../base/reply.ts'
import { jsonOf, type LabRequest, readRequest } from '../base/request.ts'
import { createRouter, type Routes } from '../base/router.ts'
import { send } from '../base/send.ts'
import { type Action, actions, type DemoService } from './demo-service.ts'

/** The controls of the demo, on a socket of their own: nothing that is forwarded to a service reaches them. */
export function listenForControl(socket: string, services: readonly DemoService[]): Promise<void> {
  const route = createRouter(routesOf(services))
  const clock = { skewMs: 0, now: () => Date.now() }
  const server = nodeHttp.createServer((message, response) => {
    void readRequest(message)
      .then(route)
      .catch((error: unknown): Reply => (error instanceof Refusal ? error.reply : text(500, String(error))))
      .then((reply) => send(response, reply, clock))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
}

function routesOf(services: readonly DemoService[]): Routes {
  const shown = () =>
    json(
      200,
      services.map((one) => one.shown()),
    )
  return {
    'GET /controls': shown,
    'POST /controls': (request) => {
      const { action, service } = jsonOf(request)
      if (!isAction(action)) throw badRequest(`action must be one of ${actions.join(', ')}`)
      const chosen = services.filter((one) => service === undefined || one.service.name === service)
      if (chosen.length === 0) throw badRequest('service is unknown')
      for (const one of chosen) one.act(action)
      return shown()
    },
    'POST /clients': (request) => json(201, register(services, request)),
  }
}

/** Registers one app at every service. It has a redirect address of its own for each, which the server knows. */
function register(services: readonly DemoService[], request: LabRequest): unknown {
  const { name, id, redirectUris } = jsonOf(request)
  if (typeof name !== 'string' || typeof id !== 'string') throw badRequest('name and id are required')
  return services.map((one) => {
    const { service, url } = one.shown()
    const redirectUri = (redirectUris as Record<string, unknown> | undefined)?.[service]
    if (typeof redirectUri !== 'string') throw badRequest(`redirectUris has none for ${service}`)
    return { service, url, ...one.register({ name, key: `${service}-${id}`, redirectUri }) }
  })
}

const isAction = (value: unknown): value is Action => actions.some((action) => action === value)

const badRequest = (error: string): Refusal => new Refusal(json(400, { error }))

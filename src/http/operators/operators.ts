import { z } from 'zod'
import { inviteOperator, listOpenLinks, revokeLink } from '#flows/operators/links.ts'
import { changeOperator, newLinkForOperator, presentOperators, removeOperator } from '#flows/operators/operators.ts'
import { endSessionById, endSessionsOf, listOwnSessions } from '#flows/operators/sessions.ts'
import { route } from '../server/route.ts'
import { deleted } from '../shapes/deleted.ts'
import * as shapes from './shapes.ts'

const path = z.object({ id: z.string() })

export const list = route({
  auth: 'admin',
  summary: 'List the operators and developers',
  response: z.array(shapes.operator),
  run: (deps) => presentOperators(deps),
})

export const invite = route({
  auth: 'admin',
  dangerous: true,
  idempotencyKey: true,
  summary: 'Create a link with which a person becomes an operator or developer; it works once',
  body: shapes.invitation,
  status: 201,
  response: shapes.newLink,
  run: (deps, { body, actor }) => inviteOperator(deps, body, actor),
})

export const update = route({
  auth: 'admin',
  dangerous: true,
  summary: 'Change the name, role or apps of an operator; their sessions get it at once',
  path,
  body: shapes.change,
  response: shapes.operator,
  reasons: ['already_exists', 'last_operator'],
  run: (deps, call) => changeOperator(deps, call.path.id, call.body, call.actor),
})

export const remove = route({
  auth: 'admin',
  dangerous: true,
  summary: 'Remove an operator and end their sessions',
  path,
  response: deleted,
  reasons: ['last_operator'],
  run: async (deps, call) => {
    await removeOperator(deps, call.path.id, call.actor)
    return { deleted: call.path.id }
  },
})

export const link = route({
  auth: 'admin',
  dangerous: true,
  idempotencyKey: true,
  summary:
    'Create a link with which an operator sets a new password or passkey; it works once, replaces those before, and ends their sessions',
  path,
  status: 201,
  response: shapes.newLink,
  run: (deps, call) => newLinkForOperator(deps, call.path.id, call.actor),
})

export const links = route({
  auth: 'admin',
  summary: 'List the links for operators that nobody used yet',
  response: z.array(shapes.openLink),
  run: (deps) => listOpenLinks(deps),
})

export const removeLink = route({
  auth: 'admin',
  dangerous: true,
  summary: 'Revoke a link for an operator',
  path,
  response: deleted,
  run: async (deps, call) => {
    await revokeLink(deps, call.path.id, call.actor)
    return { deleted: call.path.id }
  },
})

export const sessions = route({
  auth: 'admin',
  developers: 'all',
  summary: 'List the sessions in the dashboard; a developer gets their own',
  response: z.array(shapes.session),
  run: (deps, { operator }) => listOwnSessions(deps, operator),
})

export const endSession = route({
  auth: 'admin',
  developers: 'all',
  summary: 'End a session in the dashboard',
  path,
  response: deleted,
  run: async (deps, { operator, path: { id } }) => {
    await endSessionById(deps, operator, id)
    return { deleted: id }
  },
})

export const endSessions = route({
  auth: 'admin',
  summary: 'End every session of an operator',
  path,
  response: z.object({ ended: z.int() }),
  run: async (deps, { operator, path: { id } }) => ({ ended: await endSessionsOf(deps, operator, id, false) }),
})

import { inviteOperator, listOpenLinks, type NewLink } from '#flows/operators/links.ts'
import {
  changeOperator,
  idOfOperator,
  newLinkForOperator,
  presentOperators,
  removeOperator,
} from '#flows/operators/operators.ts'
import { endSessionById, endSessionsOf, listOwnSessions } from '#flows/operators/sessions.ts'
import { ADMIN, OPERATOR_ROLES, type OperatorRole } from '#model/apps/operator.ts'
import { command, type Option, UsageError } from '../command.ts'
import { type Output, table } from '../output.ts'

const ACTOR = 'cli'
const CLI = { ...ADMIN, actor: ACTOR }
const APP: Option = { type: 'string', value: 'CLIENT_ID', multiple: true, meaning: 'an app of a developer' }
const ROLE = { type: 'string', value: 'ROLE', meaning: OPERATOR_ROLES.join(' or ') } as const

export const add = command({
  name: 'operator add',
  summary: 'Create a link with which a person becomes an operator or developer; it works once.',
  options: {
    role: { ...ROLE, meaning: `${ROLE.meaning} (operator)` },
    app: APP,
    name: { type: 'string', value: 'NAME', meaning: 'a proposed name' },
  },
  run: async ({ flags, out, config, withStore }) => {
    const apps = flags.texts('app')
    const role = roleOf(flags.text('role')) ?? (apps.length > 0 ? 'developer' : 'operator')
    if (role === 'operator' && apps.length > 0)
      throw new UsageError('--app is for developers: an operator has every app.')
    const invited = { name: flags.text('name'), role, apps }
    const link = await withStore((store) =>
      inviteOperator({ ...store, config: { baseUrl: config().baseUrl } }, invited, ACTOR),
    )
    showLink(out, link)
  },
})

export const link = command({
  name: 'operator link',
  summary: 'Create a link with which an operator sets a new password or passkey; it works once.',
  args: ['NAME'],
  run: async ({ args, out, config, withStore }) => {
    const made = await withStore(async (store) => {
      const deps = { ...store, config: { baseUrl: config().baseUrl } }
      return newLinkForOperator(deps, await idOfOperator(deps, args[0]), ACTOR)
    })
    showLink(out, made)
  },
})

export const list = command({
  name: 'operator list',
  summary: 'List the operators, the developers, and the links that nobody used yet.',
  run: async ({ out, withStore }) => {
    const [operators, links] = await withStore((store) => Promise.all([presentOperators(store), listOpenLinks(store)]))
    out.result({ operators, links }, () => [
      ...(operators.length === 0
        ? ['There is no operator yet. Make one: tributary operator add']
        : table([
            ['id', 'name', 'role', 'apps', 'signs in by', 'sessions'],
            ...operators.map((each) => [
              each.id,
              each.name,
              each.role,
              each.apps.join(' '),
              [each.password ? 'password' : '', each.passkeys > 0 ? `${each.passkeys} passkeys` : '']
                .filter(Boolean)
                .join(', '),
              String(each.sessions),
            ]),
          ])),
      ...links.map((each) => `A link for ${each.name ?? `a new ${each.role}`} is open until ${time(each.expires_at)}.`),
    ])
  },
})

export const set = command({
  name: 'operator set',
  summary: 'Change the name, role or apps of an operator.',
  args: ['NAME'],
  options: { role: ROLE, app: APP, name: { type: 'string', value: 'NAME', meaning: 'a new name' } },
  run: async ({ args, flags, out, withStore }) => {
    const apps = flags.texts('app')
    const change = {
      name: flags.text('name'),
      role: roleOf(flags.text('role')),
      ...(apps.length === 0 ? {} : { apps }),
    }
    const changed = await withStore(async (store) =>
      changeOperator(store, await idOfOperator(store, args[0]), change, ACTOR),
    )
    out.result(changed, () => [`${changed.name} is ${changed.role}${changed.apps.map((id) => ` ${id}`).join('')}.`])
  },
})

export const remove = command({
  name: 'operator remove',
  summary: 'Remove an operator and end their sessions.',
  args: ['NAME'],
  run: async ({ args, out, withStore }) => {
    const id = await withStore(async (store) => {
      const found = await idOfOperator(store, args[0])
      await removeOperator(store, found, ACTOR)
      return found
    })
    out.result({ deleted: id }, () => [`Removed ${args[0]}.`])
  },
})

export const sessions = command({
  name: 'operator sessions',
  summary: 'List the sessions in the dashboard, or end some.',
  options: {
    end: { type: 'string', value: 'ID', meaning: 'end this session' },
    'end-all': { type: 'string', value: 'NAME', meaning: 'end every session of this operator' },
  },
  run: async ({ flags, out, withStore }) => {
    const [ended, all] = [flags.text('end'), flags.text('end-all')]
    const open = await withStore(async (store) => {
      if (ended !== undefined) await endSessionById(store, CLI, ended)
      if (all !== undefined) await endSessionsOf(store, CLI, await idOfOperator(store, all), false)
      return listOwnSessions(store, CLI)
    })
    out.result(open, () =>
      open.length === 0
        ? ['Nobody is signed in.']
        : table([
            ['id', 'name', 'by', 'address', 'last used', 'browser'],
            ...open.map((each) => [each.id, each.name, each.method, each.address, time(each.seen_at), each.browser]),
          ]),
    )
  },
})

function showLink(out: Output, made: NewLink): void {
  out.result(made, () => [out.bold(made.url), `It works once, until ${time(made.expires_at)}.`])
}

function roleOf(given: string | undefined): OperatorRole | undefined {
  const role = OPERATOR_ROLES.find((each) => each === given)
  if (given !== undefined && role === undefined) throw new UsageError(`--role must be ${OPERATOR_ROLES.join(' or ')}.`)
  return role
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}

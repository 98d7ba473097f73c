import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { COMMANDS } from '#cli/commands.ts'
import { VARIABLES } from '#config/config.ts'
import { ROUTES } from '#http/routes.ts'
import { developersOf } from '#http/server/permissions.ts'
import { OF_DEVELOPERS } from '../scripts/threat-model/callers.ts'
import { ROLE_RULES } from '../scripts/threat-model/roles.ts'
import { DIRECTS, fieldsOf, TARGETS } from '../scripts/threat-model/targets.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')
const page = read('docs/threat-model.md')
const part = (name: string) => page.slice(page.indexOf(`<!-- ${name} -->`), page.indexOf(`<!-- /${name} -->`))

/** What a text names in backquotes. */
const marks = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, mark]) => mark!)
const routesIn = (text: string) =>
  marks(text).flatMap((mark) => {
    const [, methods, path] = /^((?:[A-Z]+†? )+)(\/\S*)$/.exec(mark) ?? []
    return methods === undefined
      ? []
      : methods
          .trim()
          .split(' ')
          .map((method) => `${method.replace('†', '')} ${path}`)
  })

suite('the threat model', () => {
  test('lists every route once, with who may call it', () => {
    const all = ROUTES.map(([method, path]) => `${method} ${path}`)
    assert.deepEqual(routesIn(part('callers')).toSorted(), all.toSorted())
  })

  test('names what developers may call as the code decides it', () => {
    const rows = part('callers').split('\n')
    for (const [method, path, route] of ROUTES.filter(([, , { auth }]) => auth === 'admin')) {
      const row = rows.find((each) => routesIn(each).includes(`${method} ${path}`))!
      assert.ok(row.startsWith(`| ${OF_DEVELOPERS[developersOf(path, route)]} |`), `${method} ${path}`)
    }
  })

  test('has a test for every rule of roles', () => {
    for (const { what, shownBy } of ROLE_RULES) assert.ok(read(shownBy[0]).includes(shownBy[1]), what)
    const fields = ROUTES.flatMap(([, , { operatorOnly = {} }]) => Object.keys(operatorOnly))
    for (const field of fields)
      assert.ok(
        ROLE_RULES.some(({ what }) => what.startsWith(`\`${field}\``)),
        field,
      )
  })

  test('has every field that directs something, and only fields that exist', () => {
    const given = new Set(ROUTES.flatMap(fieldsOf))
    const known = TARGETS.flatMap(({ fields }) => fields)
    assert.deepEqual(
      [...given].filter((field) => DIRECTS.test(field) && !known.includes(field)),
      [],
    )
    assert.deepEqual(
      known.filter((field) => !given.has(field)),
      [],
    )
  })

  test('fields that only operators may set are fields of a body that developers may send', () => {
    for (const [method, path, route] of ROUTES)
      for (const [field, why] of Object.entries(route.operatorOnly ?? {})) {
        assert.ok(route.auth === 'admin' && developersOf(path, route) !== 'none', `${method} ${path}`)
        assert.ok(fieldsOf([method, path, { ...route, query: undefined }, '']).includes(field), field)
        assert.match(why, /^[a-z].*\.$/)
      }
  })
})

suite('SECURITY.md and the threat model name only what exists:', () => {
  const named = marks(read('SECURITY.md') + page)
  const known = {
    variable: Object.values(VARIABLES).map(({ name }) => name),
    command: COMMANDS.map(({ name }) => name),
    path: ROUTES.map(([, path]) => path),
  }

  test('variables', () => {
    const variables = named.flatMap((mark) => /^[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+(?==|$)/.exec(mark)?.[0] ?? [])
    assert.ok(variables.length > 3)
    assert.deepEqual(
      variables.filter((name) => !known.variable.includes(name)),
      [],
    )
  })

  test('commands', () => {
    const commands = named.flatMap((mark) => /^(?:tributary )?([a-z]+(?: [a-z-]+)?)(?= --|$)/.exec(mark)?.[1] ?? [])
    const wrong = commands.filter(
      (name) => /^(?:app|keyring|operator|keys|push|backup) /.test(name) && !known.command.includes(name),
    )
    assert.deepEqual(wrong, [])
    assert.ok(commands.includes('keyring rotate'))
  })

  test('routes', () => {
    const paths = named.flatMap((mark) => /^(?:(?:[A-Z]+†? )+)?(\/[a-z][^\s…]*)(…?)$/.exec(mark)?.slice(1) ?? [])
    const isKnown = (path: string) =>
      path === '/v0' || known.path.some((each) => each === path || each.startsWith(`${path}/`))
    assert.deepEqual(
      paths.filter((path) => path.startsWith('/') && !isKnown(path)),
      [],
    )
  })
})

import { PROGRAM } from '#config/program-name.ts'
import { callbackOfKey, deleteServiceKey, listServiceKeys, setServiceKey } from '#flows/apps/keys.ts'
import { testServiceKey } from '#flows/apps/test-keys.ts'
import { useDemoServices } from '#flows/operations/demo.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { serviceAddresses } from '#kit/connector/service-addresses.ts'
import { OVERRIDES, presentServiceKey } from '#model/apps/app.ts'
import { nearestName } from '#model/input/nearest-name.ts'
import { command, EXIT, UsageError } from '../command.ts'
import { table } from '../output.ts'

const ACTOR = 'cli'

export const set = command({
  name: 'keys set',
  summary: "Set an app's key for a service.",
  args: ['CLIENT_ID', 'SERVICE'],
  options: {
    key: { type: 'string', value: 'KEY', required: true, meaning: 'the key that the service issued to the app' },
    secret: { type: 'string', value: 'SECRET', required: true, meaning: 'the secret of the key' },
    'hook-secret': {
      type: 'string',
      value: 'SECRET',
      meaning: "the secret of the service's webhooks, if it is a different one",
    },
    'hook-id': {
      type: 'string',
      value: 'ID',
      meaning: 'the id of the webhook that you registered at the service, where its subscriptions need one (X)',
    },
    scope: { type: 'string', value: 'SCOPE', meaning: "scope to request instead of the service's default" },
    set: {
      type: 'string',
      value: 'NAME=URL',
      multiple: true,
      meaning: `an address of the service to override: ${OVERRIDES.join(', ')}`,
    },
    setting: {
      type: 'string',
      value: 'NAME=VALUE',
      multiple: true,
      meaning: 'a value that the vendor gave to the app besides key and secret; `tributary services` names them',
    },
  },
  run: async ({ args, flags, out, withStore, registry, config }) => {
    const [clientId, service] = args
    const addresses = pairs('set', flags.texts('set'))
    const settings = pairs('setting', flags.texts('setting'))
    const services = await registry()
    const key = await withStore((store) =>
      setServiceKey(
        { ...store, registry: services },
        clientId,
        {
          service,
          key: flags.required('key'),
          secret: flags.required('secret'),
          hookSecret: flags.text('hook-secret'),
          hookId: flags.text('hook-id'),
          scope: flags.text('scope'),
          overrides: addresses,
          settings,
        },
        ACTOR,
      ),
    )
    const connector = services.find(key.service)
    const enter = connector && serviceAddresses(config().baseUrl, connector, clientId, key.overrides)
    out.result({ ...presentServiceKey(key), ...(enter === undefined ? {} : { addresses: enter }) }, () => [
      `Set the keys for ${key.service}.`,
      ...(connector === undefined ? [unknownService(key.service, services)] : []),
      ...(enter === undefined ? [] : ['Enter at the service:', ...table(Object.entries(enter))]),
    ])
  },
})

export const demo = command({
  name: 'keys demo',
  summary: 'Give an app keys at the demo services (test mode), while `tributary demo` runs on the data folder.',
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore, demoServices }) => {
    const services = await demoServices()
    const keys = await withStore((store) => useDemoServices(store, services, args[0], ACTOR))
    const shown = keys.map(({ service, key, url }) => ({ service, key, url }))
    out.result({ services: shown }, () => [
      'The app may use the demo services now. Start a sign-in with one of these names as `service`:',
      ...table(shown.map(({ service, url }) => [service, url])),
    ])
  },
})

export const list = command({
  name: 'keys list',
  summary: "List an app's keys for services, without their secrets.",
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore, registry, config }) => {
    const keys = await withStore((store) => listServiceKeys(store, args[0]))
    const deps = { registry: await registry(), config: config() }
    const shown = keys.map((key) => ({ ...presentServiceKey(key), callback: callbackOfKey(deps, args[0], key) }))
    out.result(shown, () =>
      keys.length === 0
        ? [`The app has no keys yet. Set some: ${PROGRAM} keys set ${args[0]} SERVICE --key KEY --secret SECRET`]
        : table([
            ['service', 'key', 'callback', 'scope', 'overrides'],
            ...keys.map((key) => [
              key.service,
              key.key,
              callbackOfKey(deps, args[0], key),
              key.scope ?? '',
              Object.entries(key.overrides)
                .map((pair) => pair.join('='))
                .join(' '),
            ]),
          ]),
    )
  },
})

const MARKS = { ok: 'ok  ', failed: 'FAIL', unknown: '?   ' }

export const test = command({
  name: 'keys test',
  summary: "Test an app's keys at their service, as far as that is possible without a person.",
  args: ['CLIENT_ID', 'SERVICE'],
  run: async ({ args, out, withServices }) => {
    const tested = await withServices((deps) => testServiceKey(deps, args[0], args[1], ACTOR))
    out.result(tested, () => [
      ...table(tested.steps.map(({ step, result, detail }) => [MARKS[result], step, detail])),
      `Callback address to enter at the service: ${tested.callback}`,
      ...tested.conditions.map(
        ({ says, source, checked }) => `The service demands: ${says} (${[source, checked].filter(Boolean).join(', ')})`,
      ),
    ])
    return tested.result === 'failed' ? EXIT.refused : EXIT.ok
  },
})

export const remove = command({
  name: 'keys delete',
  summary: "Delete an app's key for a service.",
  args: ['CLIENT_ID', 'SERVICE'],
  run: async ({ args, out, withStore, registry }) => {
    const services = await registry()
    await withStore((store) => deleteServiceKey({ ...store, registry: services }, args[0], args[1], ACTOR))
    out.result({ deleted: args[1] }, () => [`Deleted the keys for ${args[1]}.`])
  },
})

/** Accepted, because a later release or an operator's file may add the service. */
function unknownService(service: string, services: Registry): string {
  const near = nearestName(
    service,
    services.list().map((each) => each.service),
  )
  const hint = near === undefined ? `${PROGRAM} services lists the known ones.` : `Did you mean ${near}?`
  return `Warning: no service is called ${service} here, so nobody can sign in to it yet. ${hint}`
}

function pairs(option: 'set' | 'setting', given: string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const equals = pair.indexOf('=')
      // The value of a setting may be a secret, so it is not repeated.
      if (equals < 1)
        throw new UsageError(option === 'set' ? `--set ${pair}: write it as NAME=URL.` : 'Write --setting NAME=VALUE.')
      return [pair.slice(0, equals), pair.slice(equals + 1)]
    }),
  )
}

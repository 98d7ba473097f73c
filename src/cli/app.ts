import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, getApp, listApps, OVERLAP_MS, rotateAppSecret } from '#flows/apps/apps.ts'
import {
  beginDeletion,
  continueDeletion,
  type DeletionProgress,
  deletionProgress,
  listDeletions,
} from '#flows/authorize/delete-app.ts'
import { presentApp } from '#model/app.ts'
import { command, EXIT, UsageError } from './command.ts'
import { table } from './output.ts'

const ACTOR = 'cli'
/** Limit: errors in a row while an app is deleted from the command line; then the command ends, and a server or worker goes on. */
const MAX_ERRORS = 10

export const create = command({
  name: 'app create',
  summary: 'make an app; its secret is shown this once',
  options: {
    name: { type: 'string', value: 'NAME', required: true, meaning: 'what people see when they are asked to agree' },
    'redirect-uri': {
      type: 'string',
      value: 'URL',
      required: true,
      multiple: true,
      meaning: 'an address that people may return to',
    },
    'no-token-flow': { type: 'boolean', meaning: 'refuse response_type=token' },
  },
  run: async ({ flags, out, withStore }) => {
    const { app, secret } = await withStore((store) =>
      createApp(
        store,
        {
          name: flags.required('name'),
          redirectUris: flags.texts('redirect-uri'),
          tokenFlow: !flags.on('no-token-flow'),
        },
        ACTOR,
      ),
    )
    const { client_id, ...rest } = presentApp(app)
    out.result({ client_id, client_secret: secret, ...rest }, () => [
      `client_id      ${out.bold(app.id)}`,
      `client_secret  ${out.bold(secret)}`,
      '',
      'The secret is not shown again. Next, give the app its keys for a service:',
      `  tributary keys set ${app.id} SERVICE --key KEY --secret SECRET`,
    ])
  },
})

export const list = command({
  name: 'app list',
  summary: 'all apps',
  run: async ({ out, withStore }) => {
    const apps = await withStore(listApps)
    out.result(apps.map(presentApp), () =>
      apps.length === 0
        ? ['There is no app yet. Make one: tributary app create --name NAME --redirect-uri URL']
        : table([
            ['client_id', 'name', 'redirect addresses'],
            ...apps.map((app) => [app.id, app.name, app.redirectUris.join(' ')]),
          ]),
    )
  },
})

export const show = command({
  name: 'app show',
  summary: 'one app, with the age of its secrets',
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    const { app, secrets } = await withStore((store) => getApp(store, args[0]))
    const day = (ms: number) => new Date(ms).toISOString()
    const document = {
      ...presentApp(app),
      secrets: secrets.map(({ id, createdAt, expiresAt }) => ({ id, created_at: createdAt, expires_at: expiresAt })),
    }
    out.result(document, () => [
      ...table([
        ['client_id', app.id],
        ['name', app.name],
        ...app.redirectUris.map((uri) => ['redirects to', uri]),
        ['token flow', app.tokenFlow ? 'allowed' : 'refused'],
        ...secrets.map(({ createdAt, expiresAt }) => [
          'secret',
          `since ${day(createdAt)}${expiresAt === undefined ? '' : `, ends ${day(expiresAt)}`}`,
        ]),
      ]),
    ])
  },
})

export const rotateSecret = command({
  name: 'app rotate-secret',
  summary: 'a second secret; the first ends after the overlap',
  args: ['CLIENT_ID'],
  options: {
    'overlap-hours': {
      type: 'string',
      value: 'N',
      meaning: `how long the old secret keeps working (${OVERLAP_MS / 3_600_000})`,
    },
  },
  run: async ({ args, flags, out, withStore }) => {
    const overlapMs = hours(flags.text('overlap-hours'))
    const { app, secret, previousEndsAt } = await withStore((store) =>
      rotateAppSecret(store, args[0], ACTOR, overlapMs),
    )
    out.result({ client_id: app.id, client_secret: secret, previous_ends_at: previousEndsAt }, () => [
      `client_secret  ${out.bold(secret)}`,
      `The previous secret works until ${new Date(previousEndsAt).toISOString()}.`,
    ])
  },
})

export const remove = command({
  name: 'app delete',
  summary: 'delete an app and its keys; with --erase also everything of its people',
  args: ['CLIENT_ID'],
  options: {
    yes: { type: 'boolean', meaning: 'really' },
    erase: {
      type: 'boolean',
      meaning: 'revoke tokens at the services, erase all accounts, have destinations take out their rows',
    },
    'give-up': { type: 'boolean', meaning: 'do not wait for destinations any longer' },
  },
  run: async ({ args, flags, out, withServices }) => {
    const id = args[0]
    if (!flags.on('yes')) throw new UsageError(`This deletes ${id} for good. Add --yes if that is meant.`)
    const done = await withServices(async (deps) => {
      const options = { erase: flags.on('erase'), giveUp: flags.on('give-up') }
      let progress = await beginDeletion(deps, id, ACTOR, options)
      for (let errors = 0; progress.state === 'erasing' && errors < MAX_ERRORS; ) {
        // Another process may be at it as well.
        if (!(await continueDeletion(deps, id))) await sleep(200)
        progress = (await deletionProgress(deps, id))!
        errors = progress.error === undefined ? 0 : errors + 1
        out.progress(`${progress.erased} of ${progress.accounts} accounts erased …`)
      }
      if (options.giveUp) await continueDeletion(deps, id)
      return (await deletionProgress(deps, id)) ?? progress
    })
    out.result(done.accounts === 0 && done.state === 'deleted' ? { deleted: id } : done, () => printDeletion(done))
    return done.state === 'erasing' ? EXIT.failed : EXIT.ok
  },
})

export const deletions = command({
  name: 'app deletions',
  summary: 'apps that are being deleted with everything of their people, and those that were',
  run: async ({ out, withStore }) => {
    const all = await withStore(listDeletions)
    out.result(all, () =>
      all.length === 0
        ? ['There is none.']
        : table([
            ['client_id', 'name', 'state', 'accounts', 'erased'],
            ...all.map((each) => [
              each.client_id,
              each.name,
              each.state.replaceAll('_', ' '),
              String(each.accounts),
              String(each.erased),
            ]),
          ]),
    )
  },
})

function printDeletion(progress: DeletionProgress): string[] {
  const { client_id: id, service_tokens: tokens, destinations_waiting: waiting } = progress
  if (progress.state === 'erasing')
    return [`${progress.erased} of ${progress.accounts} accounts are erased. ${progress.error}`]
  const lines = progress.accounts === 0 ? [] : [`${progress.erased} accounts are erased.`]
  if (progress.accounts > 0)
    lines.push(
      `Tokens at services: ${tokens.revoked} revoked, ${tokens.not_supported} where the service has no way for it, ${tokens.failed} failed.`,
    )
  if (progress.state === 'deleted') return [...lines, `Deleted ${id}.`]
  return [
    ...lines,
    `${waiting} erasures wait for destinations. The running service goes on with it: tributary app deletions`,
    `Without them: tributary app delete ${id} --yes --give-up`,
  ]
}

function hours(text: string | undefined): number {
  if (text === undefined) return OVERLAP_MS
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > 720)
    throw new UsageError('--overlap-hours must be a number from 0 to 720.')
  return Number(text) * 3_600_000
}

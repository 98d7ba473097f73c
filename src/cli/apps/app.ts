import { setTimeout as sleep } from 'node:timers/promises'
import { PROGRAM } from '#config/program-name.ts'
import {
  beginDeletion,
  continueDeletion,
  type DeletionProgress,
  deletionProgress,
  listDeletions,
} from '#flows/accounts/delete-app.ts'
import { createApp, endAppSecret, getApp, listApps, OVERLAP_MS, rotateAppSecret } from '#flows/apps/apps.ts'
import { presentApp } from '#model/apps/app.ts'
import { command, EXIT, UsageError } from '../command.ts'
import { table } from '../output.ts'
import { APPLY_OPTION, applyPolicy } from './app-set.ts'

const ACTOR = 'cli'
/** Limit: consecutive errors of `app delete`; then the command ends, and a running server or worker continues the deletion. */
const MAX_ERRORS = 10

export const create = command({
  name: 'app create',
  summary: 'Create an app; its secret is shown only once.',
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      required: true,
      meaning: 'the name that people see when they are asked for consent',
    },
    'redirect-uri': {
      type: 'string',
      value: 'URL',
      required: true,
      multiple: true,
      meaning: 'an address that people are redirected to',
    },
    'no-token-flow': { type: 'boolean', meaning: 'refuse response_type=token' },
    public: { type: 'boolean', meaning: 'a public client: it exchanges codes by PKCE, without its secret' },
    apply: { ...APPLY_OPTION, meaning: `${APPLY_OPTION.meaning} (proven)` },
  },
  run: async ({ flags, out, withStore }) => {
    const { app, secret } = await withStore((store) =>
      createApp(
        store,
        {
          name: flags.required('name'),
          redirectUris: flags.texts('redirect-uri'),
          tokenFlow: !flags.on('no-token-flow'),
          isPublic: flags.on('public'),
          apply: applyPolicy(flags.text('apply')),
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
      `  ${PROGRAM} keys set ${app.id} SERVICE --key KEY --secret SECRET`,
    ])
  },
})

export const list = command({
  name: 'app list',
  summary: 'List all apps.',
  run: async ({ out, withStore }) => {
    const apps = await withStore(listApps)
    out.result(apps.map(presentApp), () =>
      apps.length === 0
        ? [`There is no app yet. Create one: ${PROGRAM} app create --name NAME --redirect-uri URL`]
        : table([
            ['client_id', 'name', 'redirect addresses'],
            ...apps.map((app) => [app.id, app.name, app.redirectUris.join(' ')]),
          ]),
    )
  },
})

export const show = command({
  name: 'app show',
  summary: 'Show an app, with the age of its secrets.',
  args: ['CLIENT_ID'],
  run: async ({ args, out, withStore }) => {
    const { app, secrets } = await withStore((store) => getApp(store, args[0]))
    const time = (ms: number) => new Date(ms).toISOString()
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
        ['client type', app.isPublic ? 'public' : 'confidential'],
        ['apply', app.apply === 'proven' ? 'proven tokens only' : 'any token'],
        ...(app.branding?.color === undefined ? [] : [['color', app.branding.color]]),
        ...(app.branding?.privacyUrl === undefined ? [] : [['privacy policy', app.branding.privacyUrl]]),
        ...(app.branding?.logo === undefined ? [] : [['logo', app.branding.logo.type]]),
        ...secrets.map(({ id, createdAt, expiresAt }) => [
          'secret',
          `${id} since ${time(createdAt)}${expiresAt === undefined ? '' : `, expires ${time(expiresAt)}`}`,
        ]),
      ]),
    ])
  },
})

export const rotateSecret = command({
  name: 'app rotate-secret',
  summary: 'Create a new secret; the previous one expires after an overlap.',
  args: ['CLIENT_ID'],
  options: {
    'overlap-hours': {
      type: 'string',
      value: 'N',
      meaning: `how long the previous secret remains valid (${OVERLAP_MS / 3_600_000})`,
    },
  },
  run: async ({ args, flags, out, withStore }) => {
    const overlapMs = hours(flags.text('overlap-hours'))
    const { app, secret, previousEndsAt } = await withStore((store) =>
      rotateAppSecret(store, args[0], ACTOR, overlapMs),
    )
    out.result({ client_id: app.id, client_secret: secret, previous_ends_at: previousEndsAt }, () => [
      `client_secret  ${out.bold(secret)}`,
      `The previous secret is valid until ${new Date(previousEndsAt).toISOString()}.`,
    ])
  },
})

export const endSecret = command({
  name: 'app end-secret',
  summary: 'End a replaced secret of an app now; app show lists their ids.',
  args: ['CLIENT_ID', 'SECRET_ID'],
  run: async ({ args, out, withStore }) => {
    await withStore((store) => endAppSecret(store, args[0], args[1], ACTOR))
    out.result({ deleted: args[1] }, () => ['Ended. Clients that still use it are refused.'])
  },
})

export const remove = command({
  name: 'app delete',
  summary: 'Delete an app and its keys; with --erase also all accounts and their data.',
  args: ['CLIENT_ID'],
  options: {
    yes: { type: 'boolean', meaning: 'confirm that this cannot be undone' },
    erase: {
      type: 'boolean',
      meaning: 'revoke tokens at the services, erase all accounts, and delete their rows at destinations',
    },
    'give-up': { type: 'boolean', meaning: 'do not wait for destinations any longer' },
  },
  run: async ({ args, flags, out, withServices }) => {
    const id = args[0]
    if (!flags.on('yes')) throw new UsageError(`Deleting ${id} cannot be undone. Add --yes to confirm.`)
    const done = await withServices(async (deps) => {
      const options = { erase: flags.on('erase'), giveUp: flags.on('give-up') }
      let progress = await beginDeletion(deps, id, ACTOR, options)
      for (let errors = 0; progress.state === 'erasing' && errors < MAX_ERRORS; ) {
        // Another process may hold the lease of the deletion.
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
  summary: 'List the apps that are being deleted with their accounts, and those that were.',
  run: async ({ out, withStore }) => {
    const all = await withStore(listDeletions)
    out.result(all, () =>
      all.length === 0
        ? ['There are none.']
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
    return [`Erased ${progress.erased} of ${progress.accounts} accounts. ${progress.error}`]
  const lines = progress.accounts === 0 ? [] : [`Erased ${progress.erased} accounts.`]
  if (progress.accounts > 0)
    lines.push(
      `Tokens at services: ${tokens.revoked} revoked, ${tokens.refused} refused, ${tokens.unreachable} unreachable, ${tokens.not_offered} not offered by the service.`,
    )
  if (progress.state === 'deleted') return [...lines, `Deleted ${id}.`]
  return [
    ...lines,
    `${waiting} erasures wait for destinations. The running service continues them: ${PROGRAM} app deletions`,
    `To stop waiting: ${PROGRAM} app delete ${id} --yes --give-up`,
  ]
}

function hours(text: string | undefined): number {
  if (text === undefined) return OVERLAP_MS
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) > 720)
    throw new UsageError('--overlap-hours must be a number from 0 to 720.')
  return Number(text) * 3_600_000
}

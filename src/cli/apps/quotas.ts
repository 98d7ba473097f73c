import { getQuotas, type QuotaLimits, setQuotas } from '#flows/operations/app-quotas.ts'
import { type QuotaUse, usageOf } from '#flows/operations/usage.ts'
import { QUOTA_NAMES, type QuotaInput, type QuotaName } from '#model/apps/quotas.ts'
import { command, UsageError } from '../command.ts'
import { table } from '../output.ts'

export const quotas = command({
  name: 'app quotas',
  summary: 'Show or set how much an app may store, and how many sign-ins may be unfinished.',
  args: ['CLIENT_ID'],
  options: {
    set: {
      type: 'string',
      value: 'NAME=LIMIT',
      multiple: true,
      meaning: `a whole number, none, or default; NAME is one of ${QUOTA_NAMES.join(', ')}`,
    },
  },
  run: async ({ args, flags, out, withServices }) => {
    const changes = flags.texts('set').map(readQuotaChange)
    const limits = await withServices(async (deps) => {
      const before = await getQuotas(deps, args[0])
      return changes.length === 0 ? before : setQuotas(deps, args[0], changed(before, changes), 'cli')
    })
    out.result(limits, () =>
      table([
        ['quota', 'limit', 'set for this app'],
        ...Object.entries(limits).map(([name, { limit, own }]) => [name, String(limit ?? 'none'), own ? 'yes' : '']),
      ]),
    )
  },
})

export const usage = command({
  name: 'app usage',
  summary: 'Show how much of its quotas an app uses.',
  args: ['CLIENT_ID'],
  options: {
    account: { type: 'string', value: 'ACCOUNT', meaning: 'show this account, with its profiles' },
    profile: { type: 'string', value: 'PROFILE', meaning: 'with --account: show only this profile' },
  },
  run: async ({ args, flags, out, withServices }) => {
    const of = { account: flags.text('account'), profile: flags.text('profile') }
    const found = await withServices((deps) => usageOf(deps, args[0], of))
    const rows = (subject: string, uses: Record<string, QuotaUse>) =>
      Object.entries(uses).map(([name, use]) => [
        subject,
        name,
        String(use.used),
        String(use.limit ?? 'none'),
        use.state,
      ])
    out.result(found, () => [
      ...table([
        ['of', 'quota', 'used', 'limit', 'state'],
        ...rows(of.account === undefined ? 'app' : 'account', found.quotas),
        ...(found.profiles ?? []).flatMap(({ profile, quotas: uses }) => rows(profile, uses)),
      ]),
      ...(found.notices ?? []).map(
        ({ quota, state, account, profile }) =>
          `${quota} is ${state}${account === undefined ? '' : `: account ${account}`}${profile === undefined ? '' : `, profile ${profile}`}`,
      ),
    ])
  },
})

type QuotaChange = [name: QuotaName, limit: number | 'none' | undefined]

function readQuotaChange(text: string): QuotaChange {
  const [, given, limit = ''] = /^([a-z_]+)=(\d{1,15}|none|default)$/.exec(text) ?? []
  const name = QUOTA_NAMES.find((each) => each === given)
  if (name === undefined)
    throw new UsageError(
      `--set ${text}: write NAME=LIMIT, such as profile_items=5000; NAME is one of ${QUOTA_NAMES.join(', ')}.`,
    )
  return [name, limit === 'default' ? undefined : limit === 'none' ? 'none' : Number(limit)]
}

/** Quotas without a change keep their limit. */
function changed(before: QuotaLimits, changes: QuotaChange[]): QuotaInput {
  const unchanged = QUOTA_NAMES.filter((name) => before[name].own).map(
    (name): QuotaChange => [name, before[name].limit ?? 'none'],
  )
  return Object.fromEntries([...unchanged, ...changes])
}

import { findOwn } from '#flows/push/manage/destinations.ts'
import { verifyDestination } from '#flows/push/manage/verify.ts'
import { command, EXIT } from '../command.ts'

export const verify = command({
  name: 'push verify',
  summary: 'Compare the rows of a database with the store; correct differences with --repair.',
  args: ['CLIENT_ID', 'DESTINATION'],
  options: { repair: { type: 'boolean', meaning: 'deliver differing rows again and delete extra ones' } },
  run: async ({ args, flags, out, withServices }) => {
    const repair = flags.on('repair')
    const { next: _, ...found } = await withServices(async (deps) =>
      verifyDestination(
        deps,
        await findOwn(deps, args[0], args[1]),
        { repair, untilMs: Number.POSITIVE_INFINITY },
        'cli',
      ),
    )
    const differences = found.missing + found.different + found.extra
    out.result(found, () => [
      `${found.rows} rows of ${found.profiles} profiles: ${found.missing} missing, ${found.different} different, ${found.extra} extra.`,
      ...(differences > 0 && !repair ? ['To correct this, run the command again with --repair.'] : []),
      ...(found.repaired > 0 ? [`${found.repaired} profiles are being delivered again.`] : []),
    ])
    return differences === 0 || repair ? EXIT.ok : EXIT.refused
  },
})

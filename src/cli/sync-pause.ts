import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { profileIn } from '#flows/sync/progress.ts'
import { profileName } from '#model/profile.ts'
import type { Command } from './command.ts'

const ACTOR = 'cli'

export const pauseProfile = steering(
  'sync pause',
  'no syncs of a profile until it is resumed; what is stored can still be read',
  pauseSync,
)

export const resumeProfile = steering('sync resume', 'sync a paused profile again, from where it was', resumeSync)

function steering(name: string, summary: string, steer: typeof pauseSync): Command {
  return {
    name,
    summary,
    args: ['ACCOUNT', 'PROFILE'],
    run: async ({ args, out, withStore }) => {
      const [accountId, wanted] = args as [string, string]
      const profile = await withStore(async (store) => steer(store, await profileIn(store, accountId, wanted), ACTOR))
      const shown = { profile: profileName(profile), state: profile.state }
      out.result(shown, () => [`${shown.profile} is ${shown.state}.`])
    },
  }
}

import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { profileIn } from '#flows/sync/progress.ts'
import { profileName } from '#model/profile-name.ts'
import { command } from './command.ts'

const ACTOR = 'cli'

export const pauseProfile = steering(
  'sync pause',
  'no syncs of a profile until it is resumed; what is stored can still be read',
  pauseSync,
)

export const resumeProfile = steering('sync resume', 'sync a paused profile again, from where it was', resumeSync)

function steering(name: string, summary: string, steer: typeof pauseSync) {
  return command({
    name,
    summary,
    args: ['ACCOUNT', 'PROFILE'],
    run: async ({ args, out, withStore, registry }) => {
      const [accountId, wanted] = args
      const profile = await withStore(async (store) => {
        const found = await profileIn({ database: store.database, registry: await registry() }, accountId, wanted)
        return steer(store, found, ACTOR)
      })
      const shown = { profile: profileName(profile), state: profile.state }
      out.result(shown, () => [`${shown.profile} is ${shown.state}.`])
    },
  })
}

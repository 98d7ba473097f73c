import { erase, exportAccount } from './account.ts'
import { listOfApp } from './accounts.ts'
import * as app from './app.ts'
import { set as setApp } from './app-set.ts'
import { spending } from './app-spending.ts'
import { apply } from './apply.ts'
import * as backup from './backup.ts'
import { changes } from './changes.ts'
import * as cluster from './cluster.ts'
import type { Command } from './command.ts'
import * as connector from './connector.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { faults } from './faults.ts'
import { hooks } from './hooks.ts'
import * as keyring from './keyring.ts'
import * as keys from './keys.ts'
import { migrate } from './migrate.ts'
import { parked } from './parked.ts'
import { profiles, reconnectProfile } from './profiles.ts'
import * as push from './push.ts'
import { verify } from './push-verify.ts'
import { quarantine } from './quarantine.ts'
import { quotas, usage } from './quotas.ts'
import { serve, work } from './serve.ts'
import { services } from './services.ts'
import { sync } from './sync.ts'
import { pauseProfile, resumeProfile } from './sync-pause.ts'
import * as token from './token.ts'

/** Every command, in the order in which help shows them. */
export const COMMANDS: Command[] = [
  demo,
  serve,
  work,
  migrate,
  doctor,
  backup.create,
  backup.verify,
  backup.restore,
  cluster.plan,
  cluster.check,
  app.create,
  app.list,
  app.show,
  setApp,
  app.rotateSecret,
  quotas,
  usage,
  spending,
  app.remove,
  app.deletions,
  keys.set,
  keys.list,
  keys.remove,
  services,
  connector.create,
  connector.check,
  apply,
  listOfApp,
  profiles,
  reconnectProfile,
  sync,
  pauseProfile,
  resumeProfile,
  parked,
  hooks,
  faults,
  quarantine,
  changes,
  exportAccount,
  erase,
  token.revoke,
  push.add,
  push.list,
  push.set,
  push.test,
  push.pause,
  push.resume,
  push.run,
  push.backfill,
  push.replayFrom,
  push.deliveries,
  push.dead,
  push.redrive,
  verify,
  push.rotateSecret,
  push.rights,
  push.remove,
  keyring.rotate,
  keyring.prune,
]

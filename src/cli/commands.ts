import { erase, exportAccount } from './account.ts'
import { listOfApp } from './accounts.ts'
import * as app from './app.ts'
import { set as setApp } from './app-set.ts'
import { spending } from './app-spending.ts'
import { apply } from './apply.ts'
import { audit } from './audit.ts'
import * as backup from './backup.ts'
import { changes } from './changes.ts'
import * as cluster from './cluster.ts'
import type { Command } from './command.ts'
import { link as connectLink } from './connect.ts'
import * as connections from './connections.ts'
import * as connector from './connector.ts'
import { demo } from './demo.ts'
import { control as demoControl } from './demo-control.ts'
import { doctor } from './doctor.ts'
import { faults } from './faults.ts'
import { hooks } from './hooks.ts'
import * as keyring from './keyring.ts'
import * as keys from './keys.ts'
import { inspectLog, showLog } from './log.ts'
import { migrate } from './migrate.ts'
import * as operator from './operator.ts'
import { overview } from './overview.ts'
import { parked } from './parked.ts'
import { profiles, reconnectProfile } from './profiles.ts'
import * as push from './push.ts'
import * as pushDrafts from './push-drafts.ts'
import { verify } from './push-verify.ts'
import { quarantine } from './quarantine.ts'
import { quotas, usage } from './quotas.ts'
import { serve, work } from './serve.ts'
import { services } from './services.ts'
import { sync } from './sync.ts'
import { pauseProfile, resumeProfile } from './sync-pause.ts'
import * as token from './token.ts'
import { upload } from './upload.ts'

/** Every command, in the order in which help shows them. */
export const COMMANDS: Command[] = [
  demo,
  demoControl,
  serve,
  work,
  migrate,
  doctor,
  overview,
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
  app.endSecret,
  quotas,
  usage,
  spending,
  app.remove,
  app.deletions,
  keys.set,
  keys.demo,
  keys.list,
  keys.test,
  keys.remove,
  services,
  connections.link,
  connector.create,
  connector.check,
  connectLink,
  apply,
  upload,
  listOfApp,
  profiles,
  reconnectProfile,
  sync,
  pauseProfile,
  resumeProfile,
  showLog,
  inspectLog,
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
  pushDrafts.test,
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
  pushDrafts.preview,
  pushDrafts.kinds,
  pushDrafts.rights,
  push.remove,
  operator.add,
  operator.link,
  operator.list,
  operator.set,
  operator.remove,
  operator.sessions,
  audit,
  keyring.rotate,
  keyring.prune,
]

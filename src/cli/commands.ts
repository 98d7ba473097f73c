import { erase, exportAccount } from './accounts/account.ts'
import { listOfApp } from './accounts/accounts.ts'
import { apply } from './accounts/apply.ts'
import { link as connectLink } from './accounts/connect.ts'
import * as connections from './accounts/connections.ts'
import { profiles, reconnectProfile } from './accounts/profiles.ts'
import * as token from './accounts/token.ts'
import { upload } from './accounts/upload.ts'
import * as app from './apps/app.ts'
import { set as setApp } from './apps/app-set.ts'
import { spending } from './apps/app-spending.ts'
import * as keys from './apps/keys.ts'
import { quotas, usage } from './apps/quotas.ts'
import type { Command } from './command.ts'
import * as backup from './operations/backup.ts'
import * as cluster from './operations/cluster.ts'
import { demo } from './operations/demo.ts'
import { control as demoControl } from './operations/demo-control.ts'
import { doctor } from './operations/doctor.ts'
import * as keyring from './operations/keyring.ts'
import { inspectLog, showLog } from './operations/log.ts'
import { migrate } from './operations/migrate.ts'
import { overview } from './operations/overview.ts'
import { probe } from './operations/probe.ts'
import { reset } from './operations/reset.ts'
import { serve, work } from './operations/serve.ts'
import { audit } from './operators/audit.ts'
import * as operator from './operators/operator.ts'
import * as proxyTokens from './proxy/proxy-tokens.ts'
import * as push from './push/push.ts'
import * as pushDrafts from './push/push-drafts.ts'
import { verify } from './push/push-verify.ts'
import { changes } from './read/changes.ts'
import * as people from './read/people.ts'
import * as connector from './sync/connector.ts'
import { faults } from './sync/faults.ts'
import { hooks } from './sync/hooks.ts'
import { parked } from './sync/parked.ts'
import { quarantine } from './sync/quarantine.ts'
import { services } from './sync/services.ts'
import { sync } from './sync/sync.ts'
import { pauseProfile, resumeProfile } from './sync/sync-pause.ts'

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
  reset,
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
  probe,
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
  people.people,
  people.join,
  people.split,
  people.decisions,
  people.undo,
  exportAccount,
  erase,
  token.revoke,
  token.show,
  proxyTokens.create,
  proxyTokens.list,
  proxyTokens.revoke,
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

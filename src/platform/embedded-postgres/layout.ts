import type { ServiceUser } from './service-user.ts'

/** Where everything of one embedded database is. */
export interface DataFolder {
  dataDir: string
  /** Holds the four below; `<dataDir>/postgres`, or a folder of the machine when the service user cannot get there. */
  home: string
  cluster: string
  socketFolder: string
  leases: string
  lock: string
  logFile: string
  /** Set when we are root. */
  serviceUser: ServiceUser | undefined
  /** Set when we are root in a home of somebody else: what we make there must be theirs. */
  owner: ServiceUser | undefined
}

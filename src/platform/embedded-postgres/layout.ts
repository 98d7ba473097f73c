import type { ServiceUser } from './service-user.ts'

/** The paths of one embedded database. */
export interface DataFolder {
  dataDir: string
  /** Contains the four below; `<dataDir>/postgres`, or a folder under `/var/lib` when the service user cannot reach that. */
  home: string
  cluster: string
  socketFolder: string
  leases: string
  lock: string
  logFile: string
  /** Set when this process runs as root. */
  serviceUser: ServiceUser | undefined
  /** Set when this process runs as root in a home of another user, who must own the files created there. */
  owner: ServiceUser | undefined
}

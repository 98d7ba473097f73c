import { codeOf, reasonOf, SetupError } from '../errors.ts'
import type { DataFolder } from './layout.ts'

const USE_OWN = 'Or use your own PostgreSQL: DATABASE_URL=postgres://user:password@host:5432/database'

export function folderRefused(folder: string, cause: unknown): SetupError {
  const root = process.getuid?.() === 0
  const help =
    codeOf(cause) === 'EROFS'
      ? 'The file system is read-only. Choose a folder on another one: TRIBUTARY_DATA=/path/to/folder'
      : `Make the system user that runs Tributary its owner: ${root ? '' : 'sudo '}chown -R "$(id -un)" ${quote(folder)} && chmod u+rwx ${quote(folder)}\nOr choose another folder: TRIBUTARY_DATA=/path/to/folder`
  return new SetupError(`The data folder ${folder} cannot be read and written: ${reasonOf(cause)}.`, {
    code: 'data_folder_refused',
    help,
    cause,
  })
}

export function folderClosed(dataFolder: DataFolder): SetupError {
  return new SetupError(
    `The system user that runs the embedded PostgreSQL (uid ${dataFolder.serviceUser?.uid}) cannot reach ${dataFolder.cluster}: a parent folder does not let other users through.`,
    {
      code: 'data_folder_closed',
      help: `Let other users pass through (not read) every parent folder: chmod o+x ${quote(dataFolder.dataDir)}`,
    },
  )
}

export function noReachableFolder(dataDir: string, systemDir: string, cause: unknown): SetupError {
  return new SetupError(
    `The system user that runs the embedded PostgreSQL cannot reach ${dataDir}, and ${systemDir} cannot be used instead: ${reasonOf(cause)}.`,
    {
      code: 'data_folder_closed',
      help: `Choose a folder that other users can reach: TRIBUTARY_DATA=/srv/tributary\nOr let other users pass through (not read) the parent folders: chmod o+x ${quote(dataDir)}`,
      cause,
    },
  )
}

export function foreignHome(home: string, dataDir: string, systemDir: string): SetupError {
  const pointer = `${dataDir}/postgres/moved-to`
  return new SetupError(`${pointer} names ${home}, which is not a folder that Tributary made in ${systemDir}.`, {
    code: 'data_folder_refused',
    help: `Nothing was removed. Look at both, and remove them yourself: ls ${quote(home)}; cat ${quote(pointer)}`,
  })
}

export function noBinaries(platform: string, cause: unknown): SetupError {
  return new SetupError(`There is no embedded PostgreSQL for this machine (${platform}): ${reasonOf(cause)}`, {
    code: 'embedded_unavailable',
    help: `If npm omitted optional packages: npm install --include=optional\n${USE_OWN}`,
    cause,
  })
}

export function binariesRefused(program: string, output: string, cause?: unknown): SetupError {
  return new SetupError(`The embedded PostgreSQL does not run on this machine: ${output.trim()} (${program})`, {
    code: 'embedded_unavailable',
    help: `It needs Linux with glibc, or macOS. Show what is missing: ldd ${quote(program)}\n${USE_OWN}`,
    cause,
  })
}

export function otherVersion(dataFolder: DataFolder, found: string, wanted: string): SetupError {
  return new SetupError(
    `The database in ${dataFolder.cluster} was created by PostgreSQL ${found}; this release contains PostgreSQL ${wanted}, which cannot open it.`,
    {
      code: 'database_version',
      help: [
        `Dump it with PostgreSQL ${found} (the password is database_password in the key file), then let this release create a new one and load the dump:`,
        `  /usr/lib/postgresql/${found}/bin/pg_ctl -w -D ${quote(dataFolder.cluster)} -o "-p 5499 -c unix_socket_directories=/tmp" start`,
        `  /usr/lib/postgresql/${found}/bin/pg_dump -h /tmp -p 5499 -U tributary -Fc -f tributary.dump tributary`,
        `  /usr/lib/postgresql/${found}/bin/pg_ctl -D ${quote(dataFolder.cluster)} stop`,
        `  mv ${quote(dataFolder.cluster)} ${quote(`${dataFolder.cluster}.${found}`)}`,
        'Or go back to the release of Tributary that created it.',
      ].join('\n'),
    },
  )
}

export function damaged(dataFolder: DataFolder, why: string, tail: string): SetupError {
  return new SetupError(
    `The embedded PostgreSQL cannot open its files in ${dataFolder.cluster}: ${why}${tail === '' ? '' : `\nThe end of ${dataFolder.logFile}:\n${tail}`}`,
    {
      code: 'database_damaged',
      help: `Restore the folder from your backup: mv ${quote(dataFolder.cluster)} ${quote(`${dataFolder.cluster}.damaged`)} && cp -a /path/to/backup/data ${quote(dataFolder.cluster)}\nTo start empty, omit the copy: everything is synced again after people sign in again.`,
    },
  )
}

export function vanished(home: string, pointer: string): SetupError {
  return new SetupError(
    `The database of this data folder is in ${home} (according to ${pointer}), but that folder does not exist.`,
    {
      code: 'database_missing',
      help: `Restore it from your backup: cp -a /path/to/backup ${quote(home)}\nTo start empty: rm ${quote(pointer)}`,
    },
  )
}

export function diskFull(folder: string, cause?: unknown): SetupError {
  return new SetupError(`The disk is full: the embedded PostgreSQL cannot write to ${folder}.`, {
    code: 'disk_full',
    help: `Check the free space, free at least 200 MB, and start again: df -h ${quote(folder)}`,
    cause,
  })
}

export function wrongPassword(dataFolder: DataFolder, cause: unknown): SetupError {
  return new SetupError(
    `The embedded PostgreSQL in ${dataFolder.cluster} refuses the password from the key file: the database was created with another key file.`,
    {
      code: 'database_password',
      help: `Restore the key file that belongs to this data folder: cp /path/to/backup/keyring.json ${quote(`${dataFolder.dataDir}/keyring.json`)}\nTo start over without the old data: mv ${quote(dataFolder.dataDir)} ${quote(`${dataFolder.dataDir}.old`)}`,
      cause,
    },
  )
}

export function unnamedUser(output: string): SetupError {
  return new SetupError(`The embedded PostgreSQL needs a system user with a name: ${output.trim()}`, {
    code: 'system_user_nameless',
    help: `Add the user: echo "tributary:x:$(id -u):$(id -g)::/:/sbin/nologin" | sudo tee -a /etc/passwd\n${USE_OWN}`,
  })
}

export function tooSlow(what: string, waitedMs: number, logFile: string): SetupError {
  return new SetupError(`${what} after ${Math.round(waitedMs / 1000)} s.`, {
    code: 'database_slow',
    help: `See what PostgreSQL is doing: tail ${quote(logFile)}`,
  })
}

/** Turns errors that the file system and PostgreSQL can report anywhere into a SetupError; others are returned unchanged. */
export function explain(error: unknown, folder: string): unknown {
  if (error instanceof SetupError) return error
  switch (codeOf(error) ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
    case '53100':
      return diskFull(folder, error)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return folderRefused(folder, error)
    case 'ERR_SQLITE_ERROR':
      return folderRefused(folder, new Error(`a file in it cannot be locked (${reasonOf(error)})`, { cause: error }))
    default:
      return error
  }
}

export function quote(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

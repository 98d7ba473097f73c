/** Where a postmaster listens. */
export type Listen = { socketFolder: string } | { port: number }

/** PostgreSQL names its socket after its port, even when it opens no port. */
export const SOCKET_PORT = 5432

const SETTINGS: Record<string, string> = {
  // Durable: an acknowledged commit survives a crash of the process and of the machine.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // One machine, no replicas.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '512MB',
  // Small enough for a laptop.
  shared_buffers: '64MB',
  max_connections: '100',
  huge_pages: 'off',
  jit: 'off',
  io_method: 'sync',
  // Parallel queries need more shared memory than containers have (64 MB), and our queries are small.
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  password_encryption: 'scram-sha-256',
  // Statements and details contain people's data, which must not be logged.
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  lc_messages: 'C',
}

/** Passed on the command line at every start, so that an existing cluster gets the settings of a newer release. */
export function postmasterArguments(cluster: string, listen: Listen): string[] {
  const settings = { ...SETTINGS, ...listenSettings(listen) }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function listenSettings(listen: Listen): Record<string, string> {
  if ('port' in listen) {
    return { listen_addresses: '127.0.0.1', port: String(listen.port), unix_socket_directories: '' }
  }
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: `"${listen.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
}

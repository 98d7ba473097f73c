/** The addresses of this machine: private, and still called by tests. */
export const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128']

/** The same as the environment of the service takes it. */
export const LOOPBACK = LOOPBACK_RANGES.join(',')

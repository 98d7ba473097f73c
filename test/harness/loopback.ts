/** The loopback networks: private addresses that the service under test may call. */
export const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128']

/** The same as a value of `TRIBUTARY_ALLOW_PRIVATE`. */
export const LOOPBACK = LOOPBACK_RANGES.join(',')

/** The loopback networks: private addresses that the service under test may call. */
export const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128']

/** The same as a value of `TRIBUTARY_ALLOW_PRIVATE` or `TRIBUTARY_ALLOW_PRIVATE_TYPED`. */
export const LOOPBACK = LOOPBACK_RANGES.join(',')

/** The settings of a service whose people name servers on this machine too. */
export const LOOPBACK_TYPED = { TRIBUTARY_ALLOW_PRIVATE: LOOPBACK, TRIBUTARY_ALLOW_PRIVATE_TYPED: LOOPBACK }

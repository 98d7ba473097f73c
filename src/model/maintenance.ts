/** The name of the lease of the process that maintains the data. */
export const MAINTENANCE = 'maintenance'

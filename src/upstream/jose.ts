/** The package for signed tokens, loaded at its first use: most services need none, and it costs every process 2 MB. */
export const loadJose = () => import('jose')

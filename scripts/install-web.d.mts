/** Installs the packages of web/, the tools of all builds, if they are missing or the lock file changed. */
export function installWeb(root?: string): void

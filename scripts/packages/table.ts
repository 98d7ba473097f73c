import { REASONS_FOR_PACKAGES } from './reasons.ts'
import { type Shipped, shippedPackages } from './shipped.ts'

/** How many packages of code a release may hold without a reason for each; executables of platforms count apart. */
export const PACKAGES_WITHOUT_REASON = 60

/** One row for each package that is there at run time, for docs/packages.md. */
export function packageTable(): string {
  const shipped = shippedPackages()
  const code = shipped.filter((each) => !isExecutable(each))
  const executables = shipped.filter(isExecutable)
  return [
    `${code.length} packages of code, and of ${executables.length} executables the two for the machine's platform. More than ${PACKAGES_WITHOUT_REASON}, so each has its reason here.`,
    '',
    '| package | version | licence | brought by | what it is for |',
    '|---|---|---|---|---|',
    ...[...code, ...executables].map(row),
  ].join('\n')
}

/** Node and PostgreSQL themselves: only those for one platform are installed. */
export function isExecutable({ os }: Shipped): boolean {
  return os !== undefined
}

function row({ name, version, license, broughtBy }: Shipped): string {
  const by = broughtBy.includes(name) ? 'Tributary' : broughtBy.map((each) => `\`${each}\``).join(', ')
  return `| \`${name}\` | ${version} | ${license ?? '?'} | ${by} | ${REASONS_FOR_PACKAGES[name] ?? '?'} |`
}

import { REASONS_FOR_PACKAGES } from './reasons.ts'
import { type Shipped, shippedPackages } from './shipped.ts'

/** How many packages of code a release may have without a reason for each; executables are not counted. */
export const PACKAGES_WITHOUT_REASON = 60

/** One row per run-time package, for docs/packages.md. */
export function packageTable(): string {
  const shipped = shippedPackages()
  const code = shipped.filter((each) => !isExecutable(each))
  const executables = shipped.filter(isExecutable)
  return [
    `${code.length} packages of code, and of ${executables.length} executables the two for the machine's platform. These are more than ${PACKAGES_WITHOUT_REASON}, so each one needs a reason.`,
    '',
    '| package | version | licence | required by | what it is for |',
    '|---|---|---|---|---|',
    ...[...code, ...executables].map(row),
  ].join('\n')
}

/** Node and PostgreSQL; only those for one platform are installed. */
export function isExecutable({ os }: Shipped): boolean {
  return os !== undefined
}

function row({ name, version, license, requiredBy }: Shipped): string {
  const by = requiredBy.includes(name) ? 'Tributary' : requiredBy.map((each) => `\`${each}\``).join(', ')
  return `| \`${name}\` | ${version} | ${license ?? '?'} | ${by} | ${REASONS_FOR_PACKAGES[name] ?? '?'} |`
}

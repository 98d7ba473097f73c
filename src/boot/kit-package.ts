import { registerHooks } from 'node:module'
import { PACKAGE } from '#config/program-name.ts'

const KIT = new URL('../kit/public.ts', import.meta.url).href
/** Connectors written before the package had a scope import the second. */
const NAMES = [`${PACKAGE}/kit`, 'tributary/kit']
let isRegistered = false

/** Lets files anywhere on this machine import the kit by its public name, without installing anything beside them. */
export function provideKitPackage(): void {
  if (isRegistered) return
  isRegistered = true
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      NAMES.includes(specifier) ? { url: KIT, shortCircuit: true } : nextResolve(specifier, context),
  })
}

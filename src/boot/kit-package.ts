import { registerHooks } from 'node:module'

const KIT = new URL('../kit/public.ts', import.meta.url).href
let isRegistered = false

/** Lets files anywhere on this machine import the kit by its public name, without installing anything beside them. */
export function provideKitPackage(): void {
  if (isRegistered) return
  isRegistered = true
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === 'tributary/kit' ? { url: KIT, shortCircuit: true } : nextResolve(specifier, context),
  })
}

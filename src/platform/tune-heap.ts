import { setFlagsFromString } from 'node:v8'

// V8 flags only affect code that is loaded afterwards, so programs import this module first.

// Pretenuring allocates objects of call sites that produced long-lived objects directly in the old generation. While modules load or
// many requests run, every call site seems to; a dead object in the old generation then keeps the objects of its request alive through
// minor collections, which confirms the decision. Turned off, a fifth less is copied and a proxied call costs a quarter less.
setFlagsFromString('--no-allocation-site-pretenuring')
// Batches outlive the young generation; by default the old one may double in size before a major collection.
setFlagsFromString('--heap-growing-percent=30')

import { setFlagsFromString } from 'node:v8'

// Batches outlive the young generation; by default the old one may double in size before a major collection. Only where jobs run: V8
// counts the bytes of bodies too, so a process that forwards them would collect after every few megabytes.
setFlagsFromString('--heap-growing-percent=30')

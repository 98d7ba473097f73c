import { writeFileSync } from 'node:fs'
import { cpuSeconds } from './cpu.ts'

// Loaded before a test file that has a process of its own: writes its processor time when it ends.
const { TEST_CPU_REPORT: report } = process.env
// Child processes of the test write none.
delete process.env['TEST_CPU_REPORT']
if (report !== undefined) process.on('exit', () => writeFileSync(report, String(cpuSeconds())))

import type { Check } from './list.ts'

export const SERVICE_CHECKS: readonly Check[] = [
  {
    id: 'R01',
    check: '`kill -9` of the server under load',
    passes: 'it comes back; no corrupt file; committed writes are there',
  },
  { id: 'R02', check: 'Stop under load, by one signal or several', passes: 'no request under way fails' },
  {
    id: 'R03',
    check: 'Migrations while an older process serves, and a failed migration in the middle',
    passes: 'no errors; goes on',
  },
  {
    id: 'R04',
    check: 'The disk is full, then has room again',
    passes: 'writes are refused clearly, reads work, recovery without a restart',
  },
  {
    id: 'R05',
    check: 'Load for a long time (`npm run soak`), and a clock that jumps',
    passes: 'memory and handles stay flat; nothing is lost or stuck',
  },
  {
    id: 'R06',
    check: 'Backup under load restored elsewhere; a standby takes over',
    passes: 'equal to a point in time; tokens work with the key; nothing acknowledged is lost',
  },
  {
    id: 'R07',
    check: 'A service with limits: 429 with and without a header, daily and personal quotas',
    passes: 'never exceeded; no busy loop; fair between accounts',
  },
  {
    id: 'R08',
    check: 'Several processes on one PostgreSQL: two planners, lost locks, a cut line to the database',
    passes: 'no double run; leases recover',
  },
  {
    id: 'R09',
    check: 'How long the event loop stands still while others send the worst they can',
    passes: 'requests are answered meanwhile',
  },
  { id: 'R10', check: 'From an empty folder to the first item', passes: 'it works with Node and npm alone' },
  { id: 'R11', check: 'axe rules on the pages that people see, in both colour schemes', passes: '0 violations' },
  { id: 'R12', check: '18 cases that every kind of destination must pass', passes: 'all pass' },
  {
    id: 'R13',
    check: 'Requests with one `Idempotency-Key` at the same time, in several processes, after a process died',
    passes: 'executed once',
  },
  {
    id: 'R14',
    check: 'A worker is frozen during its start, and its supervisor is killed',
    passes: 'the next server gets ready; the frozen one holds no lock and ends when it continues',
  },
]

// Lists the issues of a person at GitHub with GitHub's own SDK, or opens one.
import { Octokit, RequestError } from 'octokit'

const address = process.env.TRIBUTARY_URL ?? 'http://localhost:8042'
// Without Tributary, there would be no baseUrl, and the token would be GitHub's.
const github = new Octokit({ baseUrl: `${address}/proxy/github`, auth: process.env.TOKEN })

async function list() {
  let count = 0
  // The links to further pages lead to Tributary too.
  for await (const { data } of github.paginate.iterator('GET /issues', { filter: 'all', per_page: 10 }))
    for (const { number, title, repository } of data) {
      console.log(`${repository.full_name}#${number} ${title}`)
      count += 1
    }
  console.log(`${count} issues`)
}

async function open(name, title) {
  const [owner, repo] = name.split('/')
  const { data } = await github.rest.issues.create({ owner, repo, title })
  console.log(`opened ${name}#${data.number}`)
}

const [repository, title] = process.argv.slice(2)
try {
  await (title === undefined ? list() : open(repository, title))
} catch (error) {
  if (!(error instanceof RequestError)) throw error
  // What Tributary refuses has a reason, such as `needs_auth`; everything else is GitHub's own answer.
  const { reason = 'github', message = error.message } = error.response?.data ?? {}
  console.error(`${error.status} ${reason}: ${message}`)
  process.exitCode = 1
}

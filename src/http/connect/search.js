// Search as you type on the pages of services, which work without it: the form is sent then.
// Where all services are on the page, it hides what does not match and asks nobody; otherwise it loads the list, a moment after the
// last key.

const WAIT_MS = 250
const form = document.querySelector('form[role=search]')
const field = form?.querySelector('input[type=search]')
const results = () => document.getElementById('results')
const choices = () =>
  [...results().querySelectorAll('.services li:not([hidden])')].map((row) => row.querySelector('a, button'))
let timer
let loading

/** Words without case and accents, as the server compares them. */
function wordsOf(text) {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** The texts for 0, 1, 2 … matches where all services are on the page; otherwise undefined. */
function textsHere() {
  const { texts } = results().dataset
  return texts === undefined ? undefined : JSON.parse(texts)
}

function addressOf(query) {
  const pairs = new URLSearchParams(new FormData(form))
  pairs.delete('q')
  if (query !== '') pairs.set('q', query)
  return `${form.getAttribute('action')}?${pairs}`
}

function filter(query, texts) {
  const words = wordsOf(query)
  let count = 0
  for (const row of results().querySelectorAll('.services li')) {
    const text = row.dataset.find
    row.hidden = !words.every((word) => text.includes(` ${word}`) || (word.length > 2 && text.includes(word)))
    if (!row.hidden) count += 1
  }
  const text = query === '' ? '' : texts[count].replace('{query}', () => query)
  results().querySelector('[role=status]').textContent = text
}

async function load(query) {
  loading?.abort()
  loading = new AbortController()
  try {
    const response = await fetch(addressOf(query), { signal: loading.signal, credentials: 'same-origin' })
    if (!response.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const found = page.getElementById('results')
    if (found === null || field.value.trim() !== query) return
    // The region that is read out stays, so that its change is noticed.
    const status = results().querySelector('[role=status]')
    const news = found.querySelector('[role=status]')
    status.replaceChildren(...document.importNode(news, true).childNodes)
    for (const each of results().querySelectorAll(':scope > :not([role=status])')) each.remove()
    for (const each of found.children) if (each !== news) results().append(document.importNode(each, true))
  } catch {
    // Aborted by the next key, or not reached: the list stays, and the button sends the form.
  }
}

function search() {
  const query = field.value.trim()
  const texts = textsHere()
  clearTimeout(timer)
  timer = setTimeout(
    () => {
      history.replaceState(null, '', addressOf(query))
      if (texts === undefined) void load(query)
      else filter(query, texts)
    },
    texts === undefined ? WAIT_MS : 0,
  )
}

/** The arrows lead from the field through the list. */
function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const list = choices()
  const at = list.indexOf(document.activeElement)
  if (step === undefined || (at < 0 && document.activeElement !== field)) return
  const next = at + step
  if (next >= list.length) return
  event.preventDefault()
  if (next < 0) field.focus()
  else list[next].focus()
}

if (field) {
  field.addEventListener('input', search)
  document.addEventListener('keydown', move)
}

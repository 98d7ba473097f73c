// The “Try it” buttons of the API reference. Credentials are read from the page when a request is sent, and kept nowhere.

const valueOf = (id) => document.getElementById(id).value.trim()

function authorizationFor(caller) {
  if (caller === 'token') return `Bearer ${valueOf('access-token')}`
  if (caller === 'admin') return `Bearer ${valueOf('admin-token')}`
  if (caller !== 'app') return undefined
  const bytes = new TextEncoder().encode(`${valueOf('client-id')}:${valueOf('client-secret')}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

function field(form, id, label, element, value) {
  const caption = document.createElement('label')
  caption.htmlFor = id
  caption.textContent = label
  element.id = id
  element.value = value
  element.autocomplete = 'off'
  const line = document.createElement('p')
  line.className = 'field'
  line.append(caption, element)
  form.append(line)
  return element
}

function addressOf({ path, parameters }, inputs) {
  const query = new URLSearchParams()
  let address = path
  parameters.forEach(({ name, in: where }, i) => {
    const text = inputs[i].value
    if (where === 'path') {
      const encoded = encodeURIComponent(text)
      address = address.replace(`{${name}}`, name === 'path' ? encoded.replaceAll('%2F', '/') : encoded)
    } else if (text !== '') query.append(name, text)
  })
  const asked = query.toString()
  return asked === '' ? address : `${address}?${asked}`
}

function shown(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Not JSON: shown as it is.
    return text
  }
}

async function send(operation, inputs, body, output) {
  output.textContent = '…'
  const authorization = authorizationFor(operation.caller)
  const headers = new Headers()
  if (authorization !== undefined) headers.set('authorization', authorization)
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    const response = await fetch(addressOf(operation, inputs), {
      method: operation.method,
      headers,
      ...(body === undefined ? {} : { body: body.value }),
      credentials: 'omit',
      redirect: 'manual',
    })
    const lines = [`${response.status} ${response.statusText}`]
    for (const name of ['content-type', 'link', 'x-total-count', 'retry-after', 'x-request-id'])
      if (response.headers.has(name)) lines.push(`${name}: ${response.headers.get(name)}`)
    output.textContent = `${lines.join('\n')}\n\n${shown(await response.text())}`
  } catch (error) {
    output.textContent = `The request failed: ${error.message}`
  }
}

function open(button) {
  const operation = JSON.parse(button.dataset.try)
  const { id } = button.closest('details')
  const form = document.createElement('div')
  const inputs = operation.parameters.map(({ name, in: where, required, example }) =>
    field(
      form,
      `try-${id}-${name}`,
      `${name} (${where})`,
      document.createElement('input'),
      required ? String(example ?? '') : '',
    ),
  )
  const body =
    operation.body === undefined
      ? undefined
      : field(
          form,
          `try-${id}-body`,
          'body',
          document.createElement('textarea'),
          JSON.stringify(operation.body, null, 2),
        )
  const sender = document.createElement('button')
  sender.type = 'button'
  sender.textContent = 'Send'
  const output = document.createElement('pre')
  output.tabIndex = 0
  output.setAttribute('aria-live', 'polite')
  sender.addEventListener('click', () => {
    void send(operation, inputs, body, output)
  })
  form.append(sender, output)
  button.parentElement.replaceWith(form)
}

/** A link to an operation or schema opens it. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}

document.getElementById('credentials').hidden = false
for (const button of document.querySelectorAll('button[data-try]')) {
  button.hidden = false
  button.addEventListener('click', () => open(button))
}
addEventListener('hashchange', reveal)
reveal()

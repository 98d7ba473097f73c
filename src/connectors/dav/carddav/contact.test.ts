import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readContact } from './contact.ts'

const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')

suite('vCard', () => {
  test('version 4: preferences, addresses of values, dates without a year', () => {
    const contact = readContact(
      card(
        'VERSION:4.0',
        'FN:Jane\\, Doe',
        'EMAIL;PREF=2:b@x.example',
        'EMAIL;PREF=1;TYPE=work:a@x.example',
        'TEL;VALUE=uri;TYPE="voice,home":tel:+1-555',
        'BDAY:--0412',
        'PHOTO:data:image/png;base64,AAAA',
        'URL:javascript:alert(1)',
        'CATEGORIES:a,b\\,c',
      ),
    )
    assert.deepEqual(contact.emails, [{ value: 'a@x.example', types: ['work'] }, { value: 'b@x.example' }])
    assert.deepEqual(contact.phones, [{ value: '+1-555', types: ['voice', 'home'] }])
    const { name, birthday, photo, urls, categories } = contact
    assert.deepEqual(
      { name, birthday, photo, urls, categories },
      { name: 'Jane, Doe', birthday: '--04-12', photo: undefined, urls: [], categories: ['a', 'b,c'] },
    )
  })

  test('version 3: a type is the preference; the name comes from its parts; groups are known', () => {
    const contact = readContact(
      card('N:Doe;Jane;M;;', 'item1.EMAIL;type=INTERNET;type=pref:x@y.example', 'BDAY:19850412T000000Z'),
    )
    assert.deepEqual([contact.name, contact.birthday], ['Jane M Doe', '1985-04-12'])
    assert.deepEqual(contact.emails, [{ value: 'x@y.example' }])
    assert.equal(readContact(card('X-ADDRESSBOOKSERVER-KIND:group')).kind, 'group')
  })

  test('anything else is an empty contact', () => {
    assert.deepEqual(readContact('\0nothing'), {
      kind: 'individual',
      emails: [],
      phones: [],
      urls: [],
      addresses: [],
      categories: [],
    })
  })
})

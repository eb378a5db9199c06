/** What nobody shall see, with letters that every way of writing has trouble with. */
export const key = 'sk-9F3d2c/7a"Qx+canary'
const bytes = Buffer.from(key)
const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0'))

function named(letter: string): string {
  const names: { readonly [letter: string]: string } = { '/': '&sol;', '"': '&quot;', '+': '&plus;' }
  return names[letter] ?? letter
}

/** How a service may say it back. */
export const forms: { readonly [name: string]: string } = {
  plain: key,
  'in capitals': key.toUpperCase(),
  'as JSON': JSON.stringify(key).slice(1, -1),
  'as JSON in JSON': JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
  'in an address': encodeURIComponent(key),
  'in an address, every byte': hex.map(byte => `%${byte}`).join(''),
  'in HTML': [...key].map(letter => `&#${letter.codePointAt(0)};`).join(''),
  'in HTML, by names': [...key].map(named).join(''),
  'in HTML in HTML': [...key].map(letter => `&amp;#${letter.codePointAt(0)};`).join(''),
  'in HTML, without semicolons': [...key].map(letter => `&#x${letter.codePointAt(0)?.toString(16)}`).join(''),
  'as hexadecimal digits': hex.join(''),
  'as bytes with blanks between': hex.join(' ').toUpperCase(),
  'in base64': bytes.toString('base64'),
  'in base64 of an address': bytes.toString('base64url'),
  'in base64, one byte later': Buffer.concat([Buffer.from('B'), bytes, Buffer.from('zz')]).toString('base64'),
  'in base64, two bytes later': Buffer.concat([Buffer.from('Be'), bytes, Buffer.from('zz')]).toString(
    'base64',
  ),
  'split by what nobody sees': [...key].join('\u200b'),
  'split by what nobody sees, of other planes': [...key].join('\u{e0020}'),
  'split by colours': [...key].join('\u001b[0m'),
  'split by zeros': [...key].join('\0'),
  'split by lines': [...key].join('\n'),
  'in base64, in lines': (bytes.toString('base64').match(/.{1,8}/g) ?? []).join('\n'),
  'as escapes of bytes': hex.map(byte => `\\x${byte}`).join(''),
  'as escapes of letters': hex.map(byte => `\\u{${byte}}`).join(''),
  'as numbers': hex.map(byte => `0x${byte}`).join(', '),
  'in an address, twice': hex.map(byte => `%25${byte}`).join(''),
}

/** What of a form tells the key: the inner part of base64, whose ends mix with what stands around it. */
export function telltale(form: string): string {
  return form.slice(6, -6)
}

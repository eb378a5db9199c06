/** The word of the IPTC for what a trained algorithm made; newcodes `digitalsourcetype`. */
export const sourceType = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia'

const description = `<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="${sourceType}"/>`

/**
 * An XMP packet that says that a trained algorithm made the file: a new one, or that of the file with one more description in it.
 * Undefined where the one that is there says something of its own about that, or cannot be added to.
 */
export function xmpWithMark(there: string | undefined): string | undefined {
  if (there === undefined)
    return [
      '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${description}</rdf:RDF>`,
      '</x:xmpmeta><?xpacket end="w"?>',
    ].join('')
  const end = there.lastIndexOf('</rdf:RDF>')
  if (end < 0 || there.includes('DigitalSourceType')) return undefined
  return there.slice(0, end) + description + there.slice(end)
}

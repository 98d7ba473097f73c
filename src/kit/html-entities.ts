// U+00A0 to U+00FF, in order.
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr ' +
  'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest ' +
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ' +
  'ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig ' +
  'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
  'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const OTHERS =
  'amp & lt < gt > quot " apos \' AMP & LT < GT > QUOT " num # dollar $ percnt % ast * plus + comma , period . sol / colon : semi ; ' +
  'equals = quest ? excl ! commat @ lpar ( rpar ) lsqb [ rsqb ] lbrack [ rbrack ] lcub { rcub } lbrace { rbrace } vert | verbar | ' +
  'bsol \\ lowbar _ grave ` Hat ^ tilde ˜ circ ˆ ' +
  'hellip … mdash — ndash – horbar ― lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › bull • dagger † Dagger ‡ ' +
  'permil ‰ prime ′ Prime ″ oline ‾ frasl ⁄ euro € trade ™ COPY © REG ® ' +
  'OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ Zcaron Ž zcaron ž fnof ƒ ' +
  'Abreve Ă abreve ă Aogon Ą aogon ą Cacute Ć cacute ć Ccaron Č ccaron č Dcaron Ď dcaron ď Dstrok Đ dstrok đ Eogon Ę eogon ę ' +
  'Ecaron Ě ecaron ě Gbreve Ğ gbreve ğ Idot İ imath ı inodot ı Lstrok Ł lstrok ł Nacute Ń nacute ń Ncaron Ň ncaron ň ' +
  'Odblac Ő odblac ő Rcaron Ř rcaron ř Sacute Ś sacute ś Scedil Ş scedil ş Tcaron Ť tcaron ť Tcedil Ţ tcedil ţ Uring Ů uring ů ' +
  'Udblac Ű udblac ű Zacute Ź zacute ź Zdot Ż zdot ż ' +
  'larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ crarr ↵ ' +
  'infin ∞ ne ≠ le ≤ ge ≥ asymp ≈ minus − radic √ sum ∑ prod ∏ part ∂ int ∫ ' +
  'spades ♠ clubs ♣ hearts ♥ diams ♦ star ☆ starf ★ check ✓ cross ✗ male ♂ female ♀ phone ☎ sung ♪ flat ♭ sharp ♯ ' +
  'alpha α beta β gamma γ delta δ epsilon ε lambda λ mu μ pi π sigma σ tau τ phi φ omega ω Delta Δ Sigma Σ Omega Ω'

function* pairs(words: string[]): Generator<[string, string]> {
  for (let at = 0; at < words.length; at += 2) yield [words[at]!, words[at + 1]!]
}

const CHARACTERS = new Map<string, string>([
  ...LATIN_1.split(' ').map((name, index): [string, string] => [name, String.fromCodePoint(0xa0 + index)]),
  ...pairs(OTHERS.split(' ')),
  // The text is for search and for one line: every space becomes a plain one, and optional breaks disappear.
  ...['nbsp', 'ensp', 'emsp', 'thinsp', 'hairsp', 'numsp', 'Tab', 'NewLine'].map((name): [string, string] => [
    name,
    ' ',
  ]),
  ...['shy', 'zwnj', 'ZeroWidthSpace'].map((name): [string, string] => [name, '']),
  ['zwj', '\u200d'],
])

const REPLACEMENT = '\ufffd'
const windows1252 = new TextDecoder('windows-1252')

/**
 * Returns the characters of an HTML entity by the name between `&` and `;`; undefined when the name is unknown. The table has the
 * names in common use: all 2,231 of the standard would need a dependency, and most of them are mathematical symbols.
 */
export function entityText(name: string): string | undefined {
  if (!name.startsWith('#')) return CHARACTERS.get(name)
  const [, hex, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name) ?? []
  if (hex === undefined && decimal === undefined) return undefined
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  // As the HTML standard says: C1 control codes are read as windows-1252, and invalid code points become U+FFFD.
  if (code >= 0x80 && code <= 0x9f) return windows1252.decode(Uint8Array.of(code))
  if (code === 0xa0) return ' '
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return REPLACEMENT
  return String.fromCodePoint(code)
}

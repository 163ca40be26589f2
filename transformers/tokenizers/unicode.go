package tokenizers

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// unicodeText lists the properties of characters. testdata/make_unicode.py writes it, and
// explains why Go's own tables do not fit.
//
//go:embed unicode.txt
var unicodeText string

// A props is a set of properties of a character: one bit for each class of unicode.txt, and
// the bits below.
type props uint64

// Properties that no class of unicode.txt has.
const (
	propInert props = 1 << (63 - iota) // NFC changes no text that consists of such characters
	propLower                          // lower has an entry
	propNFD                            // nfd has an entry
	propNFKD                           // nfkd has an entry
)

const (
	blockBits = 7
	blockSize = 1 << blockBits
	maxRune   = 0x10FFFF
)

// A unicodeData is the parsed content of unicode.txt.
type unicodeData struct {
	classes map[string]props // the bit of each class
	index   [(maxRune + 1) / blockSize]uint16
	blocks  [][blockSize]props
	lower   map[rune][]rune
	nfd     map[rune][]rune
	nfkd    map[rune][]rune
	compose map[[2]rune]rune
	ccc     map[rune]uint8

	space, numeric, word, punct, control, nonspacing, mark props
}

// chars returns the tables, and reads them first if necessary.
var chars = sync.OnceValue(func() *unicodeData {
	u := &unicodeData{
		classes: map[string]props{}, lower: map[rune][]rune{}, nfd: map[rune][]rune{},
		nfkd: map[rune][]rune{}, compose: map[[2]rune]rune{}, ccc: map[rune]uint8{},
	}
	flat := make([]props, maxRune+1)
	for line := range strings.Lines(unicodeText) {
		f := strings.Fields(line)
		if len(f) > 0 {
			u.parse(flat, f)
		}
	}
	u.space, u.numeric, u.word = u.classes["space"], u.classes["numeric"], u.classes["word"]
	u.punct, u.control = u.classes["punct"], u.classes["control"]
	u.nonspacing, u.mark = u.classes["nonspacing"], u.classes["mark"]
	u.derive(flat)
	u.pack(flat)
	return u
})

func (u *unicodeData) parse(flat []props, f []string) {
	switch f[0] {
	case "class":
		bit, ok := u.classes[f[1]]
		if !ok {
			bit = 1 << len(u.classes)
			u.classes[f[1]] = bit
		}
		eachRange(f[2:], func(r rune) { flat[r] |= bit })
	case "ccc":
		n, _ := strconv.Atoi(f[1])
		eachRange(f[2:], func(r rune) { u.ccc[r] = uint8(n) })
	case "lower":
		eachMapping(f[1:], func(from rune, to []rune) { u.lower[from] = to })
	case "nfd":
		eachMapping(f[1:], func(from rune, to []rune) { u.nfd[from] = to })
	case "nfkd":
		eachMapping(f[1:], func(from rune, to []rune) { u.nfkd[from] = to })
	case "compose":
		eachMapping(f[1:], func(from rune, to []rune) { u.compose[[2]rune{to[0], to[1]}] = from })
	}
}

func hexRune(s string) rune {
	n, _ := strconv.ParseUint(s, 16, 32)
	return rune(n)
}

func eachRange(items []string, fn func(r rune)) {
	for _, s := range items {
		a, b, ok := strings.Cut(s, "-")
		lo := hexRune(a)
		hi := lo
		if ok {
			hi = hexRune(b)
		}
		for r := lo; r <= hi; r++ {
			fn(r)
		}
	}
}

func eachMapping(items []string, fn func(from rune, to []rune)) {
	for _, s := range items {
		from, to, _ := strings.Cut(s, "=")
		var runes []rune
		if to != "" {
			for part := range strings.SplitSeq(to, "+") {
				runes = append(runes, hexRune(part))
			}
		}
		fn(hexRune(from), runes)
	}
}

// derive sets the properties that follow from the mappings.
func (u *unicodeData) derive(flat []props) {
	second := map[rune]bool{}
	composite := map[rune]bool{}
	for pair, c := range u.compose {
		second[pair[1]] = true
		composite[c] = true
	}
	for r := hangulV; r < hangulV+hangulVCount; r++ {
		second[r] = true
	}
	for r := hangulT; r < hangulT+hangulTCount; r++ {
		second[r] = true
	}
	for r := range flat {
		c := rune(r)
		_, decomposes := u.nfd[c]
		if u.ccc[c] == 0 && !second[c] && (!decomposes || composite[c]) {
			flat[r] |= propInert
		}
	}
	for r := range u.lower {
		flat[r] |= propLower
	}
	for r := range u.nfd {
		flat[r] |= propNFD
	}
	for r := range u.nfkd {
		flat[r] |= propNFKD
	}
}

// pack stores flat so that equal blocks share memory.
func (u *unicodeData) pack(flat []props) {
	seen := map[[blockSize]props]uint16{}
	for i := range u.index {
		block := [blockSize]props(flat[i*blockSize:])
		n, ok := seen[block]
		if !ok {
			n = uint16(len(u.blocks))
			seen[block] = n
			u.blocks = append(u.blocks, block)
		}
		u.index[i] = n
	}
	u.blocks = slices.Clip(u.blocks)
}

// props returns the properties of a character.
func (u *unicodeData) props(r rune) props {
	if uint32(r) > maxRune {
		return 0
	}
	return u.blocks[u.index[r>>blockBits]][r&(blockSize-1)]
}

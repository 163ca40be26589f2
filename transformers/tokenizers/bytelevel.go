package tokenizers

import "sync"

// byteChars returns the character that byte-level tokenizers write for each byte.
var byteChars = sync.OnceValue(func() *[256]rune {
	var out [256]rune
	n := rune(256)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			out[b] = b
		} else {
			out[b] = n
			n++
		}
	}
	return &out
})

// charBytes is the inverse of byteChars.
var charBytes = sync.OnceValue(func() map[rune]byte {
	out := map[rune]byte{}
	for b, r := range byteChars() {
		out[r] = byte(b)
	}
	return out
})

// fromByteChars appends the bytes that s stands for. It returns false if a character of s
// stands for no byte.
func fromByteChars(dst []byte, s string) ([]byte, bool) {
	m := charBytes()
	n := len(dst)
	for _, r := range s {
		b, ok := m[r]
		if !ok {
			return dst[:n], false
		}
		dst = append(dst, b)
	}
	return dst, true
}

// toByteChars writes the bytes of the text of p as characters.
func (p *piece) toByteChars(orig string) {
	w := p.rewrite(orig)
	m := byteChars()
	for i := range p.text {
		end := i + 1
		for end < len(p.text) && p.text[end]&0xC0 == 0x80 {
			end++
		}
		for j := i; j < end; j++ {
			w.emit(m[p.text[j]], min(j-i, 1))
		}
	}
	p.set(w)
}

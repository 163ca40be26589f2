package tokenizers

import (
	"slices"
	"strings"
)

// The characters of Hangul, which decompose and compose by a formula.
const (
	hangulS      = 0xAC00
	hangulL      = 0x1100
	hangulV      = rune(0x1161)
	hangulT      = rune(0x11A8)
	hangulLCount = 19
	hangulVCount = 21
	hangulTCount = 27 // without the empty one
	hangulNCount = hangulVCount * (hangulTCount + 1)
	hangulSCount = hangulLCount * hangulNCount
)

// A changed is a character of a normal form. change is as in rewriter.emit.
type changed struct {
	r      rune
	ccc    uint8
	change int
}

func appendDecomposed(dst []changed, r rune, compat bool) []changed {
	u := chars()
	p := u.props(r)
	var to []rune
	switch {
	case compat && p&propNFKD != 0:
		to = u.nfkd[r]
	case p&propNFD != 0:
		to = u.nfd[r]
	case r >= hangulS && r < hangulS+hangulSCount:
		s := r - hangulS
		dst = append(dst, changed{hangulL + s/hangulNCount, 0, 0},
			changed{hangulV + s%hangulNCount/(hangulTCount+1), 0, 1})
		if t := s % (hangulTCount + 1); t > 0 {
			dst = append(dst, changed{hangulT + t - 1, 0, 1})
		}
		return dst
	default:
		return append(dst, changed{r, u.ccc[r], 0})
	}
	for i, c := range to {
		dst = append(dst, changed{c, u.ccc[c], min(i, 1)})
	}
	return dst
}

// decomposed returns the decomposition of s in canonical order.
func decomposed(s string, compat bool) []changed {
	out := make([]changed, 0, len(s))
	for _, r := range s {
		out = appendDecomposed(out, r, compat)
	}
	for i := 0; i < len(out); {
		if out[i].ccc == 0 {
			i++
			continue
		}
		j := i
		for j < len(out) && out[j].ccc != 0 {
			j++
		}
		slices.SortStableFunc(out[i:j], func(a, b changed) int { return int(a.ccc) - int(b.ccc) })
		i = j
	}
	return out
}

func composePair(a, b rune) (rune, bool) {
	if a >= hangulL && a < hangulL+hangulLCount && b >= hangulV && b < hangulV+hangulVCount {
		return hangulS + (a-hangulL)*hangulNCount + (b-hangulV)*(hangulTCount+1), true
	}
	if a >= hangulS && a < hangulS+hangulSCount && (a-hangulS)%(hangulTCount+1) == 0 &&
		b >= hangulT && b < hangulT+hangulTCount {
		return a + b - hangulT + 1, true
	}
	c, ok := chars().compose[[2]rune{a, b}]
	return c, ok
}

// composed composes a decomposition in place.
func composed(in []changed) []changed {
	out := in[:0:len(in)]
	starter := -1 // its place in out
	last := -1    // the class of the last mark behind the starter, or -1
	for _, c := range in {
		if starter >= 0 && (last < 0 || last < int(c.ccc)) {
			if r, ok := composePair(out[starter].r, c.r); ok {
				out[starter].r = r
				out[starter].change += c.change - 1
				continue
			}
		}
		if c.ccc == 0 {
			starter, last = len(out), -1
		} else {
			last = int(c.ccc)
		}
		out = append(out, c)
	}
	return out
}

// form applies a normal form: NFD, NFC, NFKD or NFKC.
func (p *piece) form(orig string, compat, compose bool) {
	u := chars()
	stays := func(r rune) bool {
		if r < 0x80 {
			return true
		}
		q := u.props(r)
		if q&propInert == 0 || compat && q&propNFKD != 0 {
			return false
		}
		return compose || q&propNFD == 0 && (r < hangulS || r >= hangulS+hangulSCount)
	}
	if strings.IndexFunc(p.text, func(r rune) bool { return !stays(r) }) < 0 {
		return
	}
	seq := decomposed(p.text, compat)
	if compose {
		seq = composed(seq)
	}
	w := p.rewrite(orig)
	for _, c := range seq {
		w.emit(c.r, c.change)
	}
	p.set(w)
}

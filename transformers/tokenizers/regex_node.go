package tokenizers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type nodeKind int

const (
	nodeEmpty   nodeKind = iota
	nodeClass            // one character of class
	nodeConcat           // subs in order
	nodeAlt              // one of subs
	nodeRepeat           // subs[0], min to max times
	nodeAtomic           // subs[0] without backtracking into it
	nodeLook             // (?=...), or (?<=...) if behind; negated if neg
	nodeAssert           // an assertion of width 0
	maxNodes    = 4000   // in a pattern
	maxNesting  = 100    // of groups
	maxRepeats  = 1000   // in {n,m}
	unlimited   = -1     // the max of * and +
	assertBegin = 'A'
	assertEnd   = 'z'
	assertEndNL = 'Z'
	assertLine  = '^'
	assertEOL   = '$'
	assertWord  = 'b'
	assertNot   = 'B'
)

type node struct {
	kind        nodeKind
	class       *class
	subs        []*node
	min, max    int
	lazy        bool
	behind, neg bool
	assert      byte
	prog        *program // of subs[0], for assertions and atomic groups
	whole       *program // of the node, for lookbehind
	starts      *choices // for nodeAlt
}

// fixed returns the number of characters that n matches, if it is always the same. It is
// maxRepeats+1 for more than maxRepeats.
func (n *node) fixed() (int, bool) {
	switch n.kind {
	case nodeEmpty, nodeAssert, nodeLook:
		return 0, true
	case nodeClass:
		return 1, true
	case nodeConcat:
		total := 0
		for _, s := range n.subs {
			k, ok := s.fixed()
			if !ok {
				return 0, false
			}
			total = min(total+k, maxRepeats+1)
		}
		return total, true
	case nodeAlt:
		k, ok := n.subs[0].fixed()
		same := func(s *node) bool { j, ok := s.fixed(); return ok && j == k }
		return k, ok && !slices.ContainsFunc(n.subs[1:], func(s *node) bool { return !same(s) })
	case nodeRepeat:
		k, ok := n.subs[0].fixed()
		return min(k*n.min, maxRepeats+1), ok && n.min == n.max
	default:
		return n.subs[0].fixed()
	}
}

// empty reports whether n can match an empty text.
func (n *node) empty() bool {
	switch n.kind {
	case nodeClass:
		return false
	case nodeConcat:
		return !slices.ContainsFunc(n.subs, func(s *node) bool { return !s.empty() })
	case nodeAlt:
		return slices.ContainsFunc(n.subs, (*node).empty)
	case nodeRepeat:
		return n.min == 0 || n.subs[0].empty()
	case nodeAtomic:
		return n.subs[0].empty()
	default:
		return true
	}
}

// foldOrbit calls fn for the characters that differ from r only in case.
func foldOrbit(r rune, fn func(r rune) bool) bool {
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		if fn(c) {
			return true
		}
	}
	return false
}

// multiFolds are texts that Oniguruma takes for a single character if case does not matter.
const multiFolds = "ss ff fi fl st"

// foldsAlone returns an error if n, behind the last of subs, is a part of a text that differs
// in case from a single character, such as SS from ß.
func (p *parser) foldsAlone(subs []*node, n *node) error {
	if !p.fold {
		return nil
	}
	r, ok := n.literal()
	bad := ok && r >= utf8.RuneSelf && unicode.IsLetter(r) && unicode.SimpleFold(r) == r && unicode.ToUpper(r) == r &&
		unicode.IsLower(r) || ok && (r == 'ß' || r == 'ẞ')
	if len(subs) > 0 && ok {
		if last, ok := subs[len(subs)-1].literal(); ok {
			bad = bad || strings.Contains(multiFolds, strings.ToLower(string([]rune{last, r})))
		}
	}
	if bad {
		return p.unsupported("a character of several letters without regard to case")
	}
	return nil
}

// literal returns the character that n matches, if it is a single one.
func (n *node) literal() (rune, bool) {
	if n.kind != nodeClass || len(n.class.items) != 1 || n.class.neg {
		return 0, false
	}
	item := n.class.items[0]
	return item.lo, item.sub == nil && item.props == 0 && item.lo == item.hi
}

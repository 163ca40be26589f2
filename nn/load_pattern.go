package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// pattern is a name in which "*" stands for one part between dots and "**" for any
// number of parts, including none.
type pattern struct {
	text  string
	parts []string
	stars int
}

func newPattern(op, arg, text string) *pattern {
	p := &pattern{text: text, parts: strings.Split(text, ".")}
	for _, part := range p.parts {
		switch {
		case part == "*" || part == "**":
			p.stars++
		case part == "" || strings.Contains(part, "*"):
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf(`expected names separated by dots, "*" or "**" only as whole names, got %q`, text)))
		}
	}
	return p
}

func newPatterns(op, arg string, texts []string) []*pattern {
	list := make([]*pattern, len(texts))
	for i, text := range texts {
		list[i] = newPattern(op, arg, text)
	}
	return list
}

// match returns the parts of a name that the stars match.
func (p *pattern) match(name string) (stars []string, ok bool) {
	words := strings.Split(name, ".")
	n := len(words)
	// fits[i][j] says whether the parts from i on match the words from j on.
	fits := make([][]bool, len(p.parts)+1)
	for i := range fits {
		fits[i] = make([]bool, n+1)
	}
	fits[len(p.parts)][n] = true
	for i, part := range slices.Backward(p.parts) {
		for j := n; j >= 0; j-- {
			switch {
			case part == "**":
				fits[i][j] = fits[i+1][j] || j < n && fits[i][j+1]
			case j < n && (part == "*" || part == words[j]):
				fits[i][j] = fits[i+1][j+1]
			}
		}
	}
	if !fits[0][0] {
		return nil, false
	}
	stars = make([]string, 0, p.stars)
	from := 0
	for i, part := range p.parts {
		to := from + 1
		if part == "**" {
			for to = n; !fits[i+1][to]; to-- {
			}
		}
		if part == "*" || part == "**" {
			stars = append(stars, strings.Join(words[from:to], "."))
		}
		from = to
	}
	return stars, true
}

// fill replaces the stars of the pattern with the matches of another pattern, in
// order.
func (p *pattern) fill(stars []string) string {
	var parts []string
	for _, part := range p.parts {
		if part == "*" || part == "**" {
			part, stars = stars[0], stars[1:]
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}

// newPatternPair parses two patterns. The stars of the second pattern stand for the text
// that the stars of the first match, so the second must not have more stars.
func newPatternPair(op, arg, from, to string) (f, t *pattern) {
	f, t = newPattern(op, arg, from), newPattern(op, arg, to)
	if t.stars > f.stars {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("%q has more stars than %q", to, from)))
	}
	return f, t
}

// matchAny reports whether any pattern of the list matches name.
func matchAny(list []*pattern, name string) bool {
	for _, p := range list {
		if _, ok := p.match(name); ok {
			return true
		}
	}
	return false
}

// matches reports whether the pattern matches any of the names.
func (p *pattern) matches(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := p.match(name)
		return ok
	})
}

// unusedPatterns returns the patterns that match no name of the source, each with its option,
// and whether a Transpose is among them. Ignore patterns are not reported: they may
// be written for several sources.
func (s *loadSettings) unusedPatterns(names []string) (list []string, transpose bool) {
	note := func(option string, p *pattern) bool {
		if p.matches(names) {
			return false
		}
		list = append(list, fmt.Sprintf("%s %q", option, p.text))
		return true
	}
	for _, r := range s.rename {
		note("Rename", r.from)
	}
	for _, p := range s.transpose {
		transpose = note("Transpose", p) || transpose
	}
	for _, c := range s.concat {
		for _, p := range c.from {
			note("Concat", p)
		}
	}
	for _, r := range s.split {
		note("Split", r.from)
	}
	return list, transpose
}

// Package plain prints texts that somebody else wrote, such as names in files: short, and
// without what a terminal would obey.
package plain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many characters of a text an error quotes, and most how many names it lists.
const (
	longest = 100
	most    = 20
)

// Text escapes all characters that do not print as they are, such as those of escape sequences
// and those that change the direction of text.
func Text(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 && utf8.ValidString(s) {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// Quote returns the beginning of a text in quotes, escaped.
func Quote(s string) string {
	start, cut := head(s)
	if cut {
		return strconv.Quote(start) + "…"
	}
	return strconv.Quote(s)
}

// Short is [Quote] without quotes.
func Short(s string) string {
	start, cut := head(s)
	if cut {
		return Text(start) + "…"
	}
	return Text(s)
}

// List returns the first names of a list, each as [Short] has it.
func List(names []string) string {
	short := make([]string, 0, most+1)
	for _, n := range names[:min(len(names), most)] {
		short = append(short, Short(n))
	}
	if n := len(names) - most; n > 0 {
		short = append(short, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(short, ", ")
}

// head returns the first characters of a text, and whether it has more.
func head(s string) (string, bool) {
	n := 0
	for i := range s {
		if n == longest {
			return s[:i], true
		}
		n++
	}
	return s, false
}

// Package plain prepares untrusted text, such as names in files, for messages: it
// shortens the text and escapes terminal control sequences.
package plain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the maximum number of characters that a message shows of a text. most is the
// maximum number of names that it shows of a list.
//
// longestMessage is the maximum number of bytes that [Message] returns of a text before it
// escapes characters.
const (
	longest        = 100
	most           = 20
	longestMessage = 4 << 10
)

// Text escapes all characters that are not printable, including escape sequences and
// characters that change the direction of text.
func Text(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 && utf8.ValidString(s) {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// Message is [Text] for an error message of another process, which it shortens if it is very
// long.
func Message(s string) string {
	if len(s) > longestMessage {
		return Text(s[:longestMessage]) + "…"
	}
	return Text(s)
}

// Quote returns text in quotes, escaped, and shortened if it is long.
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

// List returns a string with the first names of a list, each formatted by [Short], and
// the number of names that it leaves out.
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

// head returns the first characters of a text, and reports whether it left any out.
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

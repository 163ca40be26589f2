package docblocks

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Same reports whether a program printed the text want. The last digits of fractions may
// differ.
func Same(want, printed string) bool { return same(want, printed, false) }

// same compares the output on a page with the actual output. A line of dots stands for
// any number of lines. Fractions may differ by 2 %, because processors differ.
func same(page, printed string, figures bool) bool {
	reduce := func(line string) string { return fraction.ReplaceAllString(line, "#") }
	if figures {
		reduce = func(line string) string {
			return spaces.ReplaceAllString(figure.ReplaceAllString(line, "#"), " ")
		}
	}
	var pattern, text strings.Builder
	for line := range strings.Lines(strings.TrimSpace(page)) {
		if line = strings.TrimSpace(line); line == "..." {
			pattern.WriteString("(.*\n)*?")
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(reduce(line)) + "\n")
	}
	for line := range strings.Lines(strings.TrimSpace(printed)) {
		text.WriteString(reduce(strings.TrimSpace(line)) + "\n")
	}
	if !regexp.MustCompile("^" + pattern.String() + "$").MatchString(text.String()) {
		return false
	}
	a, b := fraction.FindAllString(page, -1), fraction.FindAllString(printed, -1)
	if figures || len(a) != len(b) { // With different numbers of fractions, the page omits lines.
		return true
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil || math.Abs(x-y) > 0.02*math.Abs(x) {
			return false
		}
	}
	return true
}

var (
	fraction = regexp.MustCompile(`\d+\.\d+`)
	figure   = regexp.MustCompile(`[-+]?\d[\d,.]*(e[-+]?\d+)?( ?([nµm]?s|[KMG]i?B|B|%))?`)
	spaces   = regexp.MustCompile(`\s+`)
)

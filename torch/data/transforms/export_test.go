package transforms

import "strings"

// PolicyLines returns the lines of each policy of AutoAugment, and as many pairs of them as
// a transform has.
func PolicyLines() (lines map[string][]string, pairs map[string]int) {
	lines, pairs = map[string][]string{}, map[string]int{}
	for p, text := range policies {
		lines[string(p)] = strings.Split(strings.TrimSpace(text), "\n")
		pairs[string(p)] = len(NewAutoAugment(p).pairs)
	}
	return lines, pairs
}

package transforms

import "strings"

// PolicyLines returns the lines of each AutoAugment policy, and the number of pairs that
// NewAutoAugment reads from it.
func PolicyLines() (lines map[string][]string, pairs map[string]int) {
	lines, pairs = map[string][]string{}, map[string]int{}
	for p, text := range policies {
		lines[string(p)] = strings.Split(strings.TrimSpace(text), "\n")
		pairs[string(p)] = len(NewAutoAugment(p).pairs)
	}
	return lines, pairs
}

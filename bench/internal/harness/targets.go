package harness

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed targets.tsv
var targetsFile string

// Targets returns the largest allowed ratio of each row, by row name, from targets.tsv
// and TwinTargets. A row without a target is only reported.
func Targets() (map[string]float64, error) {
	targets := TwinTargets()
	for line := range strings.Lines(targetsFile) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, text, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("targets.tsv: no tab in %q", line)
		}
		ratio, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("targets.tsv: %s: %w", name, err)
		}
		targets[name] = ratio
	}
	return targets, nil
}

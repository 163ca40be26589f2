package main

import (
	"fmt"
	"regexp"
	"strings"
)

// changelog is the content of CHANGELOG.md.
type changelog struct {
	unreleased   string // the version that comes next, if it has a section yet
	released     string // the last released version
	incompatible map[string]bool
}

// next returns the name of the section of CHANGELOG.md for new entries.
func (c changelog) next() string {
	if c.unreleased == "" {
		return "of the next version (unreleased), which is missing,"
	}
	return c.unreleased + " (unreleased)"
}

var (
	section = regexp.MustCompile(`^## (\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?) \((unreleased|\d{4}-\d{2}-\d{2})\)$`)
	code    = regexp.MustCompile("`([^`]+)`")
)

// readChangelog reads the versions of a changelog, newest first, up to the last release.
func readChangelog(text string) (changelog, error) {
	log := changelog{incompatible: map[string]bool{}}
	sections, incompatible := 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "## "):
			m := section.FindStringSubmatch(line)
			if m == nil {
				return log, fmt.Errorf("CHANGELOG.md: %q is not \"## 0.1.0 (unreleased)\" or \"## 0.1.0 (2026-12-31)\"",
					line)
			}
			sections++
			incompatible = false
			if m[2] != "unreleased" {
				log.released = m[1]
				return log, nil
			}
			if sections > 1 {
				return log, fmt.Errorf("CHANGELOG.md: %q is not the first section", line)
			}
			log.unreleased = m[1]
		case strings.HasPrefix(line, "### "):
			incompatible = line == "### Incompatible"
		case incompatible:
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				log.incompatible[m[1]] = true
			}
		}
	}
	if sections == 0 {
		return log, fmt.Errorf("CHANGELOG.md has no section")
	}
	return log, nil
}

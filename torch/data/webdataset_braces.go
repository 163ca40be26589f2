package data

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// These limits are larger than any real set of shards needs. Without them a short pattern
// could take unlimited memory and time: each level of nested braces takes time proportional
// to the text inside it.
const (
	maxExpanded      = 1 << 22
	maxExpandedBytes = 1 << 30
	maxBraces        = 100
)

// ExpandBraces returns the names that a pattern stands for, as a shell expands them:
// "shard-{000..009}.tar" gives ten names, and "{train,val}.tar" gives two. A range may also
// be of letters, and may have a step, as in "{0..10..2}". If a bound has a leading zero,
// all numbers get the same number of digits. A backslash escapes a character.
//
// It returns an error of kind ErrValue for unbalanced braces, for more than four million
// names or names of more than 1 GiB together, and for braces nested more than 100 deep.
// Follows Python's package braceexpand, which webdataset uses.
func ExpandBraces(pattern string) ([]string, error) {
	b := &braceExpander{
		numbers: regexp.MustCompile(`^(-?\d+)\.\.(-?\d+)(?:\.\.-?(\d+))?$`),
		letters: regexp.MustCompile(`^([A-Za-z])\.\.([A-Za-z])(?:\.\.-?(\d+))?$`),
	}
	names, err := b.expandPattern(pattern, 0)
	if err != nil {
		return nil, torch.NewError("data.ExpandBraces", torch.ErrValue, "pattern",
			fmt.Sprintf("%s in %.200q", err, pattern))
	}
	escaped := regexp.MustCompile(`\\(.)`)
	for i, n := range names {
		names[i] = escaped.ReplaceAllString(n, "$1")
	}
	return names, nil
}

// braceExpander expands patterns. It leaves backslashes in the names; ExpandBraces removes
// them.
type braceExpander struct{ numbers, letters *regexp.Regexp }

// expandPattern expands a pattern. within is the number of braces around the pattern.
func (b *braceExpander) expandPattern(s string, within int) ([]string, error) {
	out, start, depth := []string{""}, 0, 0
	if within > maxBraces {
		return nil, fmt.Errorf("the pattern has more than %d nested braces", maxBraces)
	}
	join := func(parts []string) error {
		if len(out)*len(parts) > maxExpanded {
			return fmt.Errorf("the pattern has more than %d names", maxExpanded)
		}
		if long := longest(out) + longest(parts); len(out)*len(parts) > maxExpandedBytes/max(long, 1) {
			return fmt.Errorf("the pattern has more than %d bytes of names", maxExpandedBytes)
		}
		all := make([]string, 0, len(out)*len(parts))
		for _, head := range out {
			for _, p := range parts {
				all = append(all, head+p)
			}
		}
		out = all
		return nil
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				_ = join([]string{s[start:i]})
				start = i
			}
		case '}':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("unbalanced braces")
			}
			if depth > 0 {
				continue
			}
			parts, err := b.expandExpression(s[start+1:i], within)
			if err != nil {
				return nil, err
			}
			if err := join(parts); err != nil {
				return nil, err
			}
			start = i + 1
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("unbalanced braces")
	}
	return out, join([]string{s[start:]})
}

// expandExpression expands the text s between a pair of braces.
func (b *braceExpander) expandExpression(s string, within int) ([]string, error) {
	if m := b.numbers.FindStringSubmatch(s); m != nil {
		return numberRange(m[1], m[2], m[3])
	}
	if m := b.letters.FindStringSubmatch(s); m != nil {
		return letterRange(m[1], m[2], m[3])
	}
	var items []string
	start, depth, commas := 0, 0, 0
	add := func(item string) error {
		parts, err := b.expandPattern(item, within+1)
		items = append(items, parts...)
		if err == nil && len(items) > maxExpanded {
			err = fmt.Errorf("the pattern has more than %d names", maxExpanded)
		}
		return err
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth != 0 {
				continue
			}
			if err := add(s[start:i]); err != nil {
				return nil, err
			}
			start = i + 1
			commas++
		}
	}
	if err := add(s[start:]); err != nil {
		return nil, err
	}
	if commas == 0 { // neither a range nor a list, so the braces are part of the name
		for i := range items {
			items[i] = "{" + items[i] + "}"
		}
	}
	return items, nil
}

func longest(texts []string) int {
	n := 0
	for _, t := range texts {
		n = max(n, len(t))
	}
	return n
}

func numberRange(first, last, by string) ([]string, error) {
	width := 0
	for _, n := range []string{first, last} {
		if n != "0" && n != "-0" && (strings.HasPrefix(n, "0") || strings.HasPrefix(n, "-0")) {
			width = max(len(first), len(last))
		}
	}
	a, err := strconv.Atoi(first)
	if err != nil {
		return nil, err
	}
	z, err := strconv.Atoi(last)
	if err != nil {
		return nil, err
	}
	return count(a, z, by, func(i int) string { return fmt.Sprintf("%0*d", width, i) })
}

func letterRange(first, last, by string) ([]string, error) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return count(strings.Index(letters, first), strings.Index(letters, last), by, func(i int) string {
		return letters[i : i+1]
	})
}

// count returns name(i) for the numbers i from a to z, up or down. by is the step.
func count(a, z int, by string, name func(int) string) ([]string, error) {
	step := 1
	if by != "" {
		var err error
		if step, err = strconv.Atoi(by); err != nil {
			return nil, err
		}
		step = max(step, 1)
	}
	distance, sign := z-a, 1
	if z < a {
		distance, sign = a-z, -1
	}
	if distance < 0 || distance/step >= maxExpanded {
		return nil, fmt.Errorf("the pattern has more than %d names", maxExpanded)
	}
	var out []string
	for at := 0; at <= distance; at += step {
		out = append(out, name(a+sign*at))
		if at > distance-step {
			break // the next number would overflow
		}
	}
	return out, nil
}

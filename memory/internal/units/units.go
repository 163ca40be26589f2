// Package units writes numbers of bytes and counts for people: in a sentence, or in
// the fixed columns of PyTorch's table of memory statistics.
package units

import "fmt"

// InScale shows v bytes in the unit that suits scale.
func InScale(v, scale int64) string {
	unit, rest := "B  ", float64(scale)
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if rest < 768*1024 {
			break
		}
		unit, v, rest = u, v/1024, rest/1024
	}
	return fmt.Sprintf("%6d %s", v, unit)
}

// CountInScale shows a count v in the unit that suits scale.
func CountInScale(v, scale int64) string {
	unit, rest := " ", float64(scale)
	for _, u := range []string{"K", "M"} {
		if rest < 750*1000 {
			break
		}
		unit, v, rest = u, v/1000, rest/1000
	}
	return fmt.Sprintf("%7d %s ", v, unit)
}

// Size is a byte count for a sentence.
func Size(n int64) string {
	v, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	u := 0
	for (v >= 1024 || v <= -1024) && u < len(units)-1 {
		v /= 1024
		u++
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}

// Signed is Size with a plus sign before what is more than nothing.
func Signed(n int64) string {
	if n > 0 {
		return "+" + Size(n)
	}
	return Size(n)
}

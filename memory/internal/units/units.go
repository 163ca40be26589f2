// Package units formats bytes and counts for readers: in sentences, or in the columns of
// PyTorch's table of memory statistics.
package units

import "fmt"

// InScale formats v bytes in the unit that suits a value of scale bytes.
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

// CountInScale formats a count v in the unit that suits a count of scale.
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

// Size formats a number of bytes.
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

// Signed is Size with a plus sign for positive numbers.
func Signed(n int64) string {
	if n > 0 {
		return "+" + Size(n)
	}
	return Size(n)
}

package transforms

import (
	"math"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// repr returns Python's repr of a transform: its name, and those settings that are not empty.
func repr(name string, settings ...string) string {
	var said []string
	for _, s := range settings {
		if s != "" {
			said = append(said, s)
		}
	}
	return name + "(" + strings.Join(said, ", ") + ")"
}

func pyBool(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

func pyFloats(list ...float64) string {
	var s []string
	for _, v := range list {
		s = append(s, tensorfmt.PyFloat(v))
	}
	return strings.Join(s, ", ")
}

func pyInts(list ...int64) string {
	var s []string
	for _, v := range list {
		s = append(s, strconv.FormatInt(v, 10))
	}
	return strings.Join(s, ", ")
}

// pyFill formats a fill color as Python prints it. It formats integral numbers as Python's int.
func pyFill(fill []float64) string {
	var s []string
	for _, v := range fill {
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			s = append(s, strconv.FormatFloat(v, 'f', 0, 64))
		} else {
			s = append(s, tensorfmt.PyFloat(v))
		}
	}
	switch len(s) {
	case 0:
		return ""
	case 1:
		return "fill=" + s[0]
	}
	return "fill=[" + strings.Join(s, ", ") + "]"
}

func (i Interpolation) repr() string {
	return "interpolation=InterpolationMode." + strings.ToUpper(strings.ReplaceAll(string(i), "-", "_"))
}

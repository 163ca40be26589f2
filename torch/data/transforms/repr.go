package transforms

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// repr returns Python's repr of a transform: its name, and those settings that are not
// empty.
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

// pyNumber formats a number as Python does. It formats an integral number as Python's int.
func pyNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return tensorfmt.PyFloat(v)
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

func pyInterpolation(i Interpolation) string {
	return "interpolation=InterpolationMode." + strings.ToUpper(strings.ReplaceAll(string(i), "-", "_"))
}

// pyFill formats a fill color as Python prints it. It returns "" if fill is None in Python.
func pyFill(fill []float64) string {
	switch len(fill) {
	case 0:
		return ""
	case 1:
		return "fill=" + pyNumber(fill[0])
	}
	var s []string
	for _, v := range fill {
		s = append(s, pyNumber(v))
	}
	return "fill=[" + strings.Join(s, ", ") + "]"
}

// lines formats a list of transforms as Python does, one transform per line.
func lines(name string, ts []Transform) string {
	if len(ts) == 1 {
		if s := fmt.Sprint(ts[0]); !strings.Contains(s, "\n") {
			return name + "(    " + s + ")"
		}
	}
	var b strings.Builder
	b.WriteString(name + "(\n")
	for _, t := range ts {
		b.WriteString("      " + strings.ReplaceAll(fmt.Sprint(t), "\n", "\n  ") + "\n")
	}
	b.WriteString(")")
	return b.String()
}

// inline formats a list of transforms as Python does, all on one line.
func inline(ts []Transform) string {
	var s []string
	for _, t := range ts {
		s = append(s, fmt.Sprint(t))
	}
	return "transforms=[" + strings.Join(s, ", ") + "]"
}

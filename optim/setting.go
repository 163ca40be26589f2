package optim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/torch"
)

// setting is an entry of a parameter group. Numbers have their own field, so that setting a number
// does not allocate.
type setting struct {
	name string
	kind kind
	num  [2]float64 // a number, or a pair of numbers
	v    any        // everything else
	// The number is an int in Python, such as a default of 0, and is printed as an int.
	asInt bool
	// The default is None, so the setting may become None again.
	optional bool
}

// pyInt is a number that is an int in Python.
type pyInt int

// pyIntPair is a pair of numbers that Python prints as ints if they are whole.
type pyIntPair [2]float64

type kind int8

const (
	other kind = iota
	number
	pair
)

// settings holds the settings of a group in the order of Python's dict.
type settings []setting

func (s settings) find(name string) *setting {
	for i := range s {
		if s[i].name == name {
			return &s[i]
		}
	}
	return nil
}

func (s settings) flag(name string) bool {
	e := s.find(name)
	return e != nil && e.v == true
}

// rangeProblem describes the problem if a number is outside a range. NaN is in no range.
func (s settings) rangeProblem(name string, low, high float64) (arg, problem string) {
	if v := s.find(name).num[0]; !(v >= low && v <= high) {
		return name, fmt.Sprintf("expected a number from %v to %v, got %v", low, high, v)
	}
	return "", ""
}

// settingError says why a value cannot be a setting.
type settingError struct {
	kind error // torch.ErrType or torch.ErrValue
	text string
}

// put stores a setting, and replaces the old value if there is one. If it rejects the value, it
// returns an error.
func (s *settings) put(name string, value any) *settingError {
	have := s.find(name)
	e, bad := newSetting(name, value, have != nil && have.kind == number)
	if bad != nil {
		return bad
	}
	if have == nil {
		e.optional = e.kind == other && e.v == nil
		*s = append(*s, e)
		return nil
	}
	if bad := e.mismatchError(have); bad != nil {
		return bad
	}
	e.optional = have.optional
	// Like Python's step_sizes, a pair that was printed as ints still prints whole numbers as ints.
	e.asInt = e.asInt || have.asInt && e.kind == pair
	*have = e
	return nil
}

// newSetting checks a value's type. For settings whose limits are the same in every optimizer, it
// also checks the range. It converts an int to a float if the setting is a float.
func newSetting(name string, value any, float bool) (setting, *settingError) {
	e := setting{name: name}
	switch name {
	case "lr", "initial_lr", "weight_decay", "momentum", "eps":
		float = true
	}
	switch v := value.(type) {
	case float64:
		e.kind, e.num[0] = number, v
	case pyInt:
		e.kind, e.num[0], e.asInt = number, float64(v), true
	case [2]float64:
		e.kind, e.num = pair, v
	case pyIntPair:
		e.kind, e.num, e.asInt = pair, v, true
	case int:
		e.v = int64(v)
	case []float64:
		e.v = slices.Clone(v)
	case [2]any:
		for i := range v {
			if n, ok := v[i].(int); ok {
				v[i] = float64(n)
			}
			if n, ok := v[i].(int64); ok {
				v[i] = float64(n)
			}
			if _, ok := v[i].(float64); !ok && v[i] != nil {
				return e, &settingError{torch.ErrType, fmt.Sprintf("expected numbers or nil, got a %T", v[i])}
			}
		}
		e.v = v
	case nil, bool, int64, string, [3]float64:
		e.v = v
	default:
		return e, &settingError{torch.ErrType, fmt.Sprintf("a value of type %T cannot be a setting", value)}
	}
	if n, ok := e.v.(int64); ok && float {
		e = setting{name: name, kind: number, num: [2]float64{float64(n)}, asInt: true}
	}
	if text := e.typeProblem(); text != "" {
		return e, &settingError{torch.ErrType, text}
	}
	if text := e.rangeProblem(); text != "" {
		return e, &settingError{torch.ErrValue, text}
	}
	return e, nil
}

// typeProblem checks the types of the settings common to all optimizers: Foreach, Fused
// and InitialLR.
func (e *setting) typeProblem() string {
	switch e.name {
	case "foreach", "fused":
		if _, ok := e.v.(bool); !ok && (e.kind != other || e.v != nil) {
			return fmt.Sprintf("expected a bool or nil, got a %T", e.value())
		}
	case "initial_lr":
		if e.kind != number {
			return fmt.Sprintf("expected a number, got a %T", e.value())
		}
	}
	return ""
}

func (e *setting) rangeProblem() string {
	switch e.name {
	case "lr", "initial_lr", "weight_decay", "momentum", "eps":
		if e.kind == number && !(e.num[0] >= 0) {
			return fmt.Sprintf("expected a number that is not negative, got %v", e.num[0])
		}
	case "betas":
		for _, b := range e.num {
			if e.kind == pair && !(b >= 0 && b < 1) {
				return fmt.Sprintf("expected numbers from 0 to below 1, got %v and %v", e.num[0], e.num[1])
			}
		}
	}
	return ""
}

// mismatchError returns an error if e may not replace old. A None may be replaced by any value, and
// a setting whose default is None may become None again.
func (e *setting) mismatchError(old *setting) *settingError {
	if old.kind == other && old.v == nil {
		return nil
	}
	was, is := fmt.Sprintf("%T", old.value()), fmt.Sprintf("%T", e.value())
	if e.kind == other && e.v == nil {
		if old.optional {
			return nil
		}
		return &settingError{torch.ErrValue, fmt.Sprintf("expected a %s, got nil: the setting is required", was)}
	}
	if was != is {
		return &settingError{torch.ErrType, fmt.Sprintf("expected a %s, got a %s", was, is)}
	}
	return nil
}

func (e *setting) value() any {
	switch e.kind {
	case number:
		return e.num[0]
	case pair:
		return e.num
	}
	if v, ok := e.v.([]float64); ok {
		return slices.Clone(v)
	}
	return e.v
}

// String prints a setting as Python does.
func (e *setting) String() string {
	if e.asInt && e.kind == pair {
		return "(" + pyNumber(e.num[0]) + ", " + pyNumber(e.num[1]) + ")"
	}
	if e.asInt {
		return pyNumber(e.num[0])
	}
	return pyRepr(e.value())
}

// pyNumber prints a number, as an int if it is a whole number.
func pyNumber(v float64) string {
	if v != math.Trunc(v) {
		return tensorfmt.PyFloat(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// pyRepr prints a value as Python's repr does.
func pyRepr(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		return tensorfmt.PyBool(v)
	case float64:
		return tensorfmt.PyFloat(v)
	case [2]float64:
		return "(" + tensorfmt.PyFloat(v[0]) + ", " + tensorfmt.PyFloat(v[1]) + ")"
	case []float64:
		words := make([]string, len(v))
		for i, f := range v {
			words[i] = tensorfmt.PyFloat(f)
		}
		return "[" + strings.Join(words, ", ") + "]"
	case [3]float64:
		return "(" + tensorfmt.PyFloat(v[0]) + ", " + tensorfmt.PyFloat(v[1]) + ", " + tensorfmt.PyFloat(v[2]) + ")"
	case [2]any:
		return "(" + pyRepr(v[0]) + ", " + pyRepr(v[1]) + ")"
	case string:
		return v
	case []*torch.Tensor:
		words := make([]string, len(v))
		for i, t := range v {
			words[i] = t.String()
		}
		return "[" + strings.Join(words, ", ") + "]"
	default:
		return fmt.Sprint(v)
	}
}
